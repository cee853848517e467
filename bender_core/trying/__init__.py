"""Trying makes forks by changes, spends equal work on each and keeps the best; a proof tries until nothing is open."""
