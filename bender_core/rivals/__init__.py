"""Other methods on the same models, for comparison."""
