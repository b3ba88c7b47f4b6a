"""Reports: each component's availability in a quarter.

They are CSV and a printable page.

The page states the accounting method.

Seams: a command.
"""
