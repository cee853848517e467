"""Runs as values: the changes that lead from one run to the next, and the script that repeats them."""
