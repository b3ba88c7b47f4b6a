"""A banner and a badge for other sites.

The banner shows while something is wrong. The documents have no status: in the reader's browser they request
the site's `api/v2/summary.json`, so they are right without a new build.

Seams: the key `embed` of site.yaml, documents that only settings change, a column of the URL table that
allows frames.
"""
