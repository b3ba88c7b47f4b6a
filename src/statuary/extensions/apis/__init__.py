"""Interfaces of explorers, wallets and tools: documents made of the records that the site publishes."""
