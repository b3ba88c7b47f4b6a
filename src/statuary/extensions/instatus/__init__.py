"""Serve the status in Instatus's public API, too.

Programs that poll a page of Instatus can then read it.

The documents are `summary.json` and `v2/components.json`.

Seams: the key `instatus` of site.yaml, documents that change with the status.
"""
