"""Proofs that can be checked without the solver: what is kept of one, and the checker. Source: docs/method.md §15.5."""
