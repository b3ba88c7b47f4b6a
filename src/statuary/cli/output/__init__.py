"""How results, progress and findings are printed."""
