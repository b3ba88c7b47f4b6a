"""Instatus's public API as a second output: `summary.json` and `v2/components.json`, for programs that poll a page of Instatus.

Seams: the key `instatus` of site.yaml, documents that change with the status.
"""
