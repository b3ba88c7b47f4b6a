"""Set up a site that keeps running at a host."""
