"""Import incidents, maintenances and components of other status pages."""
