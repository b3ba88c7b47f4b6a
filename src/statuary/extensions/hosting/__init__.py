"""The configuration of hosts: redirects, headers, edge modules, and the upload."""
