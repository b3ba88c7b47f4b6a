"""Serve contracts to explorers, wallets and tools in their own APIs."""
