"""Packs: the documents of many records in one file, looked up by ranges, on any host that serves them.

A pack has the documents sorted by path, in compressed frames, and an index that a reader resolves with two requests. It
replaces nothing: a site has its documents with packs and without. `pack_format.py` has the format.
"""
