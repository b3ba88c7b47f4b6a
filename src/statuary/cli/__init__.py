"""The commands: the only floor that prints, reads the clock or exits."""
