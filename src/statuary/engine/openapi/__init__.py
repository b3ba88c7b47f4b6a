"""The description of both APIs."""
