// The address bar, by the fields that Python's table has: pages/_shared/app/fields.py. No other module takes an address
// apart, or puts one together.

const { fields } = globalThis.benderLab;

const field = (name) => {
  if (!Object.hasOwn(fields, name)) throw new Error(`There is no field ${name} of an address.`);
  return fields[name];
};

// The fields of an address, by name; of a query, or of the page's.
export const fieldsOf = (query) => Object.fromEntries(new URLSearchParams(query));
export const addressed = () => fieldsOf(location.search);

// The page's address with another text of a field.
export const addressedWith = (name, text) => {
  const query = new URLSearchParams(location.search);
  query.set(field(name) && name, text);
  return `?${query}`;
};

// Whether the address has a field.
export const isAddressed = (name) => field(name) && Object.hasOwn(addressed(), name);

// Whether a field may have a text.
export const fits = (name, text) => new RegExp(`^(?:${field(name).pattern})$`, "u").test(text);

// Whether an address leaves a text out, as it is the default.
export const isUsual = (name, text) => text === field(name).usual;

// The default of a field; empty: none.
export const usual = (name) => field(name).usual;

// Values of fields, as a part of an address.
export const written = (values) =>
  Object.entries(values)
    .map(([name, value]) => field(name) && `${name}=${encodeURIComponent(value)}`)
    .join("&");
