"""Verified contracts: records, the replay of bytecode, compiler metadata, signatures, selection."""
