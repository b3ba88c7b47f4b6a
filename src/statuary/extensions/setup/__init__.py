"""`statuary setup`: everything that keeps a site running at a host."""
