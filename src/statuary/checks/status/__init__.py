"""Checks of the status sources: a table of named rules."""
