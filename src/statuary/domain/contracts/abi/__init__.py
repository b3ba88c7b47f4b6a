"""ABI types, values and signatures."""
