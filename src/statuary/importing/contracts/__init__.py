"""Contracts of explorers, Sourcify servers and deployment folders: readers, and what brings them into the content."""
