"""The sources of records, and how they are read."""
