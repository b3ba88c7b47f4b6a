"""`statuary mirror`: an up-to-date copy of a served site."""
