"""An engine moves: one run of message passing, its arrays, its bounds, and how it goes on as another run."""
