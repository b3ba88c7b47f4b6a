"""Publishing into a folder."""
