"""The contract look-up as a function: a request and the site's documents in, a response out.

What Sourcify's API v2 answers, measured of server 3.12.1, as far as documents that are written in advance can answer
it. The edge module is the same in JavaScript, and shared vectors hold the two together.
"""
