"""Proofs that a labelling is optimal: what a run decides, and runs on what is left. Source: docs/method.md §15."""
