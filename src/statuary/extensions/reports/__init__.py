"""Reports: the availability of each component over a quarter, as CSV and as a page to print, with the accounting method stated.

Seams: a command.
"""
