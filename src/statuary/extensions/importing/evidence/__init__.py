"""Turn responses of the chain's node into evidence beside a record."""
