"""Edits of content: new incidents and maintenances, and their updates."""
