"""The proof of a record: every check, and the six claims that follow."""
