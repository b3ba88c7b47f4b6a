"""Get evidence about contracts from a node."""
