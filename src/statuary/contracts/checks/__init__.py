"""The proof of a record: every check, and the five claims that follow."""
