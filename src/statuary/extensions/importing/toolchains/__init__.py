"""Read the output of compilers and tool chains as a contract's compilation."""
