"""Contract pages: what is verified, how it was proved, and everything an engineer looks up about it."""
