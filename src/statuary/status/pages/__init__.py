"""The pages of the status."""
