"""Incremental builds of contracts: find changed sources, build them in partitions."""
