"""The model of a record: bytecode, metadata, ABI, storage, derivation."""
