"""Components, incidents and maintenances as an author writes them."""
