"""The site as it will be, on this machine: every answer that an edge runtime would give."""
