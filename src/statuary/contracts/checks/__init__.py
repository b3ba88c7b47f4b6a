"""The checks of a record, and the six claims that they prove."""
