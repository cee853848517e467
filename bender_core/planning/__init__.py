"""What runs something in order to judge: which partition, and what to try next where a run gains no more.

Source: docs/method.md §13.
"""
