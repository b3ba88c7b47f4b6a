"""The contract look-up as a pure function of a request and the site's documents.

It responds as Sourcify's API v2 does (measured on server 3.12.1), as far as static documents allow. The edge
module is the same in JavaScript; shared vectors test both.
"""
