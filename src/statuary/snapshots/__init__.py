"""A whole site in one file: made, verified, signed, compared, converted; the same site gives the same bytes.

A snapshot is its members in one order, in one of two forms:

1. `snapshot/manifest.json`: where the site comes from, and the list of the parts below;
2. `snapshot/manifest.json.minisig`, if it is signed;
3. `snapshot/parts/<sha256>.jsonl`: every document's path, size, SHA-256 and media type, a line each, in the
   order of paths, cut into parts at places that the paths alone decide;
4. the documents, in the order of their paths;
5. in a zip, `snapshot/index`: where each name's member begins, so that one document is found by a few reads.

A body that two names share (an address in EIP-55 and in lower case) is stored once, under the name that
comes first; its line tells the others. That halves the file, and no two members' names differ in case
alone, so that any unzip on any file system opens it without a question. Publishing, serving and look-ups
know both names.

A folder or URL that was published from a snapshot has the members 1 to 3 as documents of their own, so that
it can be verified and made into the same snapshot again.
"""
