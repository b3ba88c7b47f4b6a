"""The commands that edit content, and their common parts."""
