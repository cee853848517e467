"""Trying makes forks by changes, spends equal work and keeps the best; a proof is trying until nothing is open."""
