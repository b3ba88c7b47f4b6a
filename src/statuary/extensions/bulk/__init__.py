"""Read many contracts from JSON lines or a Sourcify export."""
