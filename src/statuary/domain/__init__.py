"""Pure values and functions: no files, no network, no clock."""
