"""The model of components, incidents and maintenances over time, without a clock."""
