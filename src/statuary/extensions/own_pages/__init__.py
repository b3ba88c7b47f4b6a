"""Your own pages, written in Markdown."""
