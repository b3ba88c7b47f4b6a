"""The pages of contracts, and the check in the reader's browser."""
