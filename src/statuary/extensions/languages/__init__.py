"""Publish the status in further languages, below `/<language>/`.

Documents of the APIs stay in the first language: their clients have no way to ask for another one. Names and
texts of the content may be given in several languages; where one is missing, the first is used.

It uses the key `languages` of site.yaml, documents that change with the status, parts of pages, and URLs.
"""
