"""`statuary import`: other systems' status pages and contracts into content."""
