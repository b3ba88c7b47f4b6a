"""Read the output of compilers and development tools."""
