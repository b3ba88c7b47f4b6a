"""Edit content in place: find the file, change the YAML text, check the result, write and commit it."""
