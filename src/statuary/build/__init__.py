"""The stages of a build: read, check, contracts, lists, status, publish."""
