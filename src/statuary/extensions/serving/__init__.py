"""`statuary serve`, and sites read from Python, like an edge runtime.

`site` is a site for Python programs (`statuary.open_snapshot`); `server` answers requests, `lookup` those of
the contracts' API, and `selection` cuts fields from a record. The extension `snapshots` reads the site.
"""
