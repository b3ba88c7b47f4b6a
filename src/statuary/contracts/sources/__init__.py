"""Find and read the sources of contracts."""
