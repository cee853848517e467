"""Looking closely at one message of a run: its classes, its rows, their past, and other rows that could be made."""
