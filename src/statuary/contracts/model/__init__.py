"""Records of contracts: bytecode, metadata, ABI, storage, and their derivation."""
