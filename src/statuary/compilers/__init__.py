"""Running compilers within limits of time and output."""
