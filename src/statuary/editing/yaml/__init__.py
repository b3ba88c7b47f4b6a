"""Edits of YAML text that leave everything else byte for byte; an edit that is not safe raises `EditError`."""
