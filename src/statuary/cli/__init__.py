"""The commands: the only package that prints, reads the clock or exits."""
