"""The commands' work on a whole site: read, check, build, publish."""
