"""Benchmarks: ``python -m benchmarks [topic ...]``."""
