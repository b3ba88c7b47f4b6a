"""The status of the network: components, incidents and maintenances, from their sources to their documents."""
