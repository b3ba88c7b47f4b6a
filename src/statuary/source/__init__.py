"""The content folder: YAML and JSON with positions, the base of source models, git, edits in place."""
