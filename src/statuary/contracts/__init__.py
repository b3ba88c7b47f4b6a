"""Verified contracts, from a record's source to its proof and documents."""
