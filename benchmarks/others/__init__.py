"""The library against others: solvers, published instances, and readers of the same formats."""
