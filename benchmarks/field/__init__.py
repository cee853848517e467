"""Our default against every other method that is here, side by side: ``python -m benchmarks.field``."""
