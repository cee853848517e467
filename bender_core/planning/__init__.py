"""Decisions based on runs: the choice of a partition, and the continuation of a run that stalls.

Source: docs/method.md §13.
"""
