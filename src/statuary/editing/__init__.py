"""Edits of content in place."""
