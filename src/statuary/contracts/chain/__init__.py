"""Merkle proofs that the chain itself gives of a contract."""
