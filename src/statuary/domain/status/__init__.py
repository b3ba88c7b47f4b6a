"""Components, incidents and maintenances, and what follows from them in time."""
