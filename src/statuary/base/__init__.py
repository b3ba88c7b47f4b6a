"""Errors, findings, values, limits and budgets for every other package."""
