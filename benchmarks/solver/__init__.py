"""The solver against itself: other choices, predictions, and aims."""
