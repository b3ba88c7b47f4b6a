"""Pages about the whole site."""
