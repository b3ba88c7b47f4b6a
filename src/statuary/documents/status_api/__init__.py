"""The status documents: Statuspage's public API v2, and what goes beyond it (archives, uptime, epochs)."""
