"""An engine moves: one run of message passing, its arrays, its bounds, and its forks."""
