"""Sources of many contracts: JSON lines, and the tables of a Sourcify export."""
