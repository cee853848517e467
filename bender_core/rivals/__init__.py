"""Other methods on the same models, to compare with."""
