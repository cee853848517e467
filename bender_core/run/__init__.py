"""One run of message passing: moving, looking, going back, and what it ends with."""
