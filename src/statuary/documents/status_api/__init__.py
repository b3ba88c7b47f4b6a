"""The documents of Statuspage's API v2, and additions: archives, uptime, epochs."""
