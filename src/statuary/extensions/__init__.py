"""Optional features, a folder each; the core imports none of them."""
