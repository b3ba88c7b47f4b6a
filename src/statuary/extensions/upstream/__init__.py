"""Upstream components: a component of this page follows one of another page, of Statuspage, Instatus or Better Stack.

`statuary upstream` fetches their statuses and keeps the changes in a file of the content folder; a build reads that file and asks nobody.
The component degrades automatically, nobody is notified of it, and a person can override it.

Seams: a command, the key `upstream` of site.yaml, a column of the table by which the status follows more than the content says.
"""
