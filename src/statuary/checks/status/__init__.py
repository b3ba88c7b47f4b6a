"""What must hold between the records of the status side: a table of named rules."""
