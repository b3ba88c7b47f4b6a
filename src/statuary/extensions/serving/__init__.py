"""`statuary serve`, and sites read from Python: a published site answered as a host with an edge runtime would.

`site` is a site for Python programs (`statuary.open_snapshot`); `server` answers requests, `lookup` those of the
contracts' API, with what `selection` cuts from a record. The site is read by the extension `snapshots`.
"""
