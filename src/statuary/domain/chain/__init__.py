"""The chain's own proofs: headers, Merkle proofs, transactions and receipts, verified offline."""
