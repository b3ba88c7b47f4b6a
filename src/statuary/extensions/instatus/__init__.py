"""Instatus's public API as a second output.

It serves programs that poll a page of Instatus.

The documents are `summary.json` and `v2/components.json`.

Seams: the key `instatus` of site.yaml, documents that change with the status.
"""
