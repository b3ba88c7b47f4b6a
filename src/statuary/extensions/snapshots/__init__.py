"""Snapshots: a whole site in one signed file."""
