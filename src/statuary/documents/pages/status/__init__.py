"""The status page, incident pages, history and uptime, at any instant."""
