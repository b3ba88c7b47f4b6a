"""Findings as people and machines want to read them: one function a format over the same values."""
