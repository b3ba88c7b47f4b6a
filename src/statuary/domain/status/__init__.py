"""Components, incidents and maintenances as Statuspage defines them, and what follows from them over time."""
