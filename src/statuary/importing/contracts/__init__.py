"""Contracts of explorers, Sourcify servers and deployment folders: readers, and the import into the content."""
