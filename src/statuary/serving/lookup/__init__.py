"""The contract look-up as a function: a request and the site's documents in, an answer out.

What Sourcify's API v2 answers, measured of server 3.12.1, as far as documents written in advance can
answer it: no network, no clock, no disk. A local server is a thin shell over `answer_request`; the edge
module is the same thing in JavaScript, and shared vectors hold the two together.
"""
