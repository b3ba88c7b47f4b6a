"""Many contracts in one place: JSONL files, the tables of an export, and folders and object stores elsewhere."""
