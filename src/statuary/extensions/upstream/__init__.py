"""Let components follow those of another status page.

The other page may be one of Statuspage, Instatus or Better Stack. `statuary upstream` fetches the statuses
and keeps the changes in a file of the content folder; a build reads only that file. The component degrades
automatically, without notification, and a person can override it.

Seams: a command, the key `upstream` of site.yaml, a column of the table by which the status includes more
than the content.
"""
