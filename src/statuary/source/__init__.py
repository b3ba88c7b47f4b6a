"""Read and edit the content folder: YAML and JSON with positions, and git."""
