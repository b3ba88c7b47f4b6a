"""The shell as control room: what the commands that edit content have in common."""
