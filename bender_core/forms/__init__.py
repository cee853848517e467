"""The energy in other forms: a polynomial, the normal form, points of a lattice, the reduced model."""
