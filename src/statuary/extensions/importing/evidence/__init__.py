"""What a node of the chain answers becomes evidence beside a record."""
