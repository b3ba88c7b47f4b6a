"""Compile records again with this machine's compilers (`--recompile`)."""
