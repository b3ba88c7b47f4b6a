"""A transparency log as C2SP specifies it: hashes, tiles, checkpoints and proofs, as values."""
