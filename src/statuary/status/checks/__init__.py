"""The rules that the status must keep."""
