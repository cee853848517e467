"""Labellings: the search for a good one, and which of two costs less."""
