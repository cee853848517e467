"""Named tuples of arrays go to compiled code by their address, as records do.

Numba hands a named tuple over field by field, and an array as seven numbers: a `Run` would be a thousand arguments,
which every function that takes one has to be compiled to unpack, and every call of it to pack. Here a tuple is one
pointer to a *block*, which says where its arrays are and how long; a kernel reads of it what it uses.

A block is written once, by Python, before compiled code sees it. Compiled code may therefore keep what it has read,
whatever it writes elsewhere (``invariant.load``): reading ``pool.table`` in a loop costs what it cost as an argument.
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)
from numba.np.arrayobj import make_array, populate_array
from numpy.typing import NDArray

_Fields = TypeVar("_Fields", bound=tuple[Any, ...])
_WORD = 8


def by_reference(fields: type[_Fields]) -> type[_Fields]:
    """Let kernels take a named tuple of arrays, records, numbers and other such tuples as one pointer."""
    namespace = {name: getattr(fields, name) for name in ("__module__", "__qualname__", "__doc__")}
    referred = type(fields.__name__, (_Referred, fields), namespace)
    typeof_impl.register(referred)(_typeof)
    return referred


class _Referred:
    """What is added to a named tuple: its block, made when a kernel first takes it."""

    @cached_property
    def _block(self) -> NDArray[np.int64]:
        fields: Any = self
        return np.array([word for field in fields for word in _words(field)], np.int64)

    @cached_property
    def address(self) -> int:
        """Where the block is."""
        return _address(self._block)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy has other arrays, and so another block."""
        fields: Any = self
        return type(self), tuple(fields)


def _words(field: Any) -> tuple[int, ...]:
    """What a block says of a field."""
    if isinstance(field, np.ndarray):
        return _address(field), *field.shape
    if isinstance(field, np.void):
        return (_address(np.frombuffer(field, np.uint8)),)
    if isinstance(field, _Referred):
        return (field.address,)
    return (int(np.float64(field).view(np.int64)) if isinstance(field, float) else int(field),)


def _address(array: NDArray[Any]) -> int:
    address: int = array.__array_interface__["data"][0]
    return address


class ByPointer(types.Type):
    """The type of such a tuple.

    Parameters
    ----------
    name : str
        Of the class.
    kinds : dict
        The type of every field.
    """

    def __init__(self, name: str, kinds: dict[str, types.Type]) -> None:
        self.kinds, self.place, place = kinds, {}, 0
        for field, kind in kinds.items():
            self.place[field] = place
            place += 1 + (kind.ndim if isinstance(kind, types.Array) else 0)
        self.bytes = _WORD * place
        # Names of functions contain those of the types of their arguments, so these are short.
        super().__init__(f"{name}_{hashlib.sha256(str(kinds).encode()).hexdigest()[:8]}")


def _typeof(value: Any, context: Any) -> ByPointer:
    kinds = {name: typeof_impl(field, context) for name, field in zip(value._fields, value, strict=True)}
    for name, kind in kinds.items():
        if isinstance(kind, types.Array) and kind.layout != "C":
            raise ValueError(f"{type(value).__name__}.{name} is not contiguous")
    return ByPointer(type(value).__name__, kinds)


@register_model(ByPointer)
class _Model(models.OpaqueModel):
    def from_argument(self, builder, value):
        value.attributes.dereferenceable = self._fe_type.bytes
        return value


@unbox(ByPointer)
def _unbox(kind, value, c):
    address = c.pyapi.object_getattr_string(value, "address")
    pointer = c.pyapi.long_as_voidptr(address)
    c.pyapi.decref(address)
    return NativeValue(pointer, is_error=c.pyapi.c_api_error())


@infer_getattr
class _Attributes(AttributeTemplate):
    key = ByPointer

    def generic_resolve(self, kind, name):
        return kind.kinds.get(name)


@lower_getattr_generic(ByPointer)
def _field(context, builder, kind, block, name):
    """Read a field from the block."""
    field, place = kind.kinds[name], kind.place[name]
    if not isinstance(field, types.Array):
        word = _read(builder, block, place, context.get_value_type(field))
        if isinstance(field, ByPointer):
            _mark(builder, word, "dereferenceable", cgutils.intp_t(field.bytes))
        return word
    array = make_array(field)(context, builder)
    data = _read(builder, block, place, array.data.type)
    shape = [_read(builder, block, place + 1 + axis, cgutils.intp_t) for axis in range(field.ndim)]
    itemsize = context.get_constant(types.intp, context.get_abi_sizeof(array.data.type.pointee))
    strides = [itemsize]
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length))
    populate_array(array, data, shape, strides, itemsize, meminfo=None)
    return array._getvalue()


def _read(builder, block, place, kind):
    """Load a word of a block, which nothing ever changes."""
    at = cgutils.pointer_add(builder, block, _WORD * place, kind.as_pointer())
    word = builder.load(at)
    _mark(builder, word, "invariant.load")
    return word


def _mark(builder, word, mark, *numbers):
    """Attach metadata to a loaded word, which LLVM may rely on."""
    word.set_metadata(mark, builder.module.add_metadata(numbers))
