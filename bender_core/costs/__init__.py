"""The cost of a partition: bytes and seconds, predicted from the model or counted in a trial.

Source: docs/method.md §11.2.
"""
