"""Status pages, tool chains and contracts of other systems become content."""
