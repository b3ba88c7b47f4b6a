"""Report the availability of components in a quarter.

The report is CSV, or a page to print.

The page states the accounting method.

Seams: a command.
"""
