"""Reports: each component's availability in a quarter, as CSV and a printable page.

The page states the accounting method.

Seams: a command.
"""
