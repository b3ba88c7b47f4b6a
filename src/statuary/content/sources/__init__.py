"""The models of the source files, and their translation into domain values."""
