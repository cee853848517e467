"""What a partition will cost: bytes and seconds, foreseen from the model or counted in a trial.

Source: docs/method.md §11.2.
"""
