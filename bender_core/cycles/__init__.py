"""The bound by frustrated cycles."""
