"""Import incidents, maintenance windows and components of other status pages."""
