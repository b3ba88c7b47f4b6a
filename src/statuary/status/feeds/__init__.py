"""Feeds, the calendar, badges, and the list of changes."""
