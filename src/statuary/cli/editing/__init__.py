"""The commands that edit content: incident, maintenance, component, and what they have in common."""
