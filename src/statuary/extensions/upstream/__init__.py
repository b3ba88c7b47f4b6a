"""Let components follow those of another status page.

The other page may be one of Statuspage, Instatus or Better Stack. `statuary upstream` fetches the statuses
and keeps the changes in a file of the content folder; a build reads only that file. The component degrades
automatically, without notification, and a person can override it.

It uses a command, the key `upstream` of site.yaml, and a function that changes the status as content is read.
"""
