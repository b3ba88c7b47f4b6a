"""From documents to a place: what is there, what would change, and the change."""
