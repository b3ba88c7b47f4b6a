"""From files to the catalogue: the folder convention, YAML and JSON text, source models, places."""
