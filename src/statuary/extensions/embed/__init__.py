"""A banner and a badge for other sites.

The banner shows while something is wrong. The documents have no status: in the reader's browser they request
the site's `api/v2/summary.json`, so they are right without a new build.

It adds the key `embed` of site.yaml, documents that depend only on the settings, and URLs that may be framed.
"""
