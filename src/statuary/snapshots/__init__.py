"""A whole site in one file; the same site gives the same bytes.

A snapshot is a zip of these members, in this order:

1. `snapshot/manifest.json`: the origin of the site, and the list of the parts below; 2.
`snapshot/manifest.json.minisig`, if it is signed; 3. `snapshot/parts/<sha256>.jsonl`: every document's path,
size, SHA-256 and media type, one a line; 4. the documents, by path.

A document with a checksummed and a lower-case path is stored once, under the former; its line lists the
other. That halves the file, and since no two members differ only in case, any unzip works on any file system.
Publishing, serving and reading accept both names.

A folder or URL that was published from a snapshot has the members 1 to 3 as documents, so it can be verified
and made into the same snapshot again.
"""
