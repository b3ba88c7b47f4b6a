"""What compilers and their tools write becomes a contract's compilation."""
