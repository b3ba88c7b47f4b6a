"""Edits of content in place: find what is meant, change the YAML text, check the result, write and commit it."""
