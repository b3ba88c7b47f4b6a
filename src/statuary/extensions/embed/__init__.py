"""Embeds: a banner that a page of another origin shows while something is wrong, and a badge, both at Statuspage's own addresses.

The documents hold no status: in the reader's browser they ask the site's `api/v2/summary.json`, so they are right without a new build.

Seams: the key `embed` of site.yaml, documents that only settings change, a column of the URL table that allows frames.
"""
