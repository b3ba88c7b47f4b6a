"""Copy a served site, and keep the copy up to date."""
