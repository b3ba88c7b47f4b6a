"""The pages about the whole site."""
