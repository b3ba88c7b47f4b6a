"""A page with every part and state, for authors of themes."""
