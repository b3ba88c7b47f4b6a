"""Components, incidents and maintenances, as in Statuspage, and their state over time."""
