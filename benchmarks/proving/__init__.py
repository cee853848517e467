"""How far proofs come, and in what time."""
