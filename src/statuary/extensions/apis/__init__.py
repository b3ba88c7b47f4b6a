"""Interfaces of explorers, wallets and tools, made of the published records."""
