"""Publish the status in further languages, below `/<language>/`.

Documents of the APIs stay in the first language: their clients have no way to ask for another one. Names and
texts of the content may be given in several languages; the first is what stands where one is missing.

Seams: the key `languages` of site.yaml, documents of the status, parts of pages, rows of the URL table, and
what the status follows.
"""
