"""Read and edit the content: YAML and JSON with positions, git."""
