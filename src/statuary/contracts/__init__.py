"""Verified contracts: from a record's source to its proof, its documents and its page."""
