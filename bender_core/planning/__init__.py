"""Decisions based on runs: the choice of a partition, what would help a run, and solving.

Source: docs/method.md §13.
"""
