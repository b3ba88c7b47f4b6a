"""Sources of many contracts: JSONL files, tables of an export, external folders and object stores."""
