"""Checks of the status side: a table of named rules."""
