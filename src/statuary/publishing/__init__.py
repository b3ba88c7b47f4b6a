"""Publishing documents: what the target holds, what would change, and changing it."""
