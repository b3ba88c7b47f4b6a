"""A whole site in one signed file."""
