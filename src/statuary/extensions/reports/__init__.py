"""Report the availability of components in a quarter.

The report is a CSV file and a page to print, which states the accounting method. The extension is a command.
"""
