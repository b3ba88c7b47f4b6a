"""Sources of many contracts: JSON lines, and Sourcify exports."""
