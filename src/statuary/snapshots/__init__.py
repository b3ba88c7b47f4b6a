"""A whole site in one file: made, verified, signed, compared, converted; the same site gives the same bytes.

A snapshot is its members in one order, in one of two forms:

1. `snapshot/manifest.json`: where the site comes from, and the list of the parts below;
2. `snapshot/manifest.json.minisig`, if it is signed;
3. `snapshot/parts/<sha256>.jsonl`: every document's path, size, SHA-256 and media type, a line each;
4. the documents, in the order of their paths.

A document that has the checksummed and the lower-case address as its names is stored once, under the former; its line
lists the other. That halves the file, and no names of members differ only in case, so that any unzip works on any file
system. Publishing, serving and reading accept both names.

A folder or URL that was published from a snapshot has the members 1 to 3 as documents of its own, so that it can be
verified and made into the same snapshot again.
"""
