"""Proofs that can be checked without the solver: their contents, and the checker. Source: docs/method.md §15.5."""
