"""One run of message passing: stepping, inspection, seeking, and results."""
