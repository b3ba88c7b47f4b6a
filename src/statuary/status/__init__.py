"""The status of the network: components, incidents and maintenance."""
