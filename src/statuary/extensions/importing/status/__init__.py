"""Status pages of other systems become incidents, maintenances and components."""
