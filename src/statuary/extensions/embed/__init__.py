"""A banner and a badge for other sites.

The banner shows while something is wrong. In the reader's browser, both request the site's `banner.json`. The
document changes with the status, so both are right without a new build.

The extension adds the key `embed` of site.yaml, files that depend only on the settings, `banner.json`, and
URLs that may be framed.
"""
