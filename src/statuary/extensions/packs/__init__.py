"""Packs: many records and proofs in one file.

Readers look documents up by ranges of bytes, on any host.

A pack has the documents sorted by path, in compressed frames, and an index that a reader resolves with two
requests. Packs replace nothing: a site has the same documents with and without them. `pack_format.py` has the
format.
"""
