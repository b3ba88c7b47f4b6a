"""Statuary: verified contracts and network status, proved and precomputed into static files."""

__version__ = "0.1.0"
