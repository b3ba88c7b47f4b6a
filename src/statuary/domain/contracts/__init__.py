"""Verified contracts: records, bytecode replay, compiler metadata, signatures, field selection."""
