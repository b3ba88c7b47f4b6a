"""Contract pages: the verified sources, the proof, and everything else about a contract."""
