"""`statuary mirror`: a copy of a served site, fetched by its manifest and kept up to date."""
