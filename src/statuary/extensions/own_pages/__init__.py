"""Markdown pages with a sidebar, a search and code blocks."""
