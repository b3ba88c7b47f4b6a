"""Serve a site locally, and read sites from Python.

`site` is a site for Python programs (`statuary.open_snapshot`); `server` answers requests, `lookup` those of
the contracts' API, and `selection` cuts fields from a record. The extension `snapshots` reads the site.
"""
