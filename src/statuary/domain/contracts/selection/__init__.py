"""`fields` and `omit` of the contract look-up: reading the selectors, and cutting a record by them.

A selected answer is made of slices of the record's own bytes, so numbers and strings stay as the
compiler wrote them. The edge module does the same in JavaScript; shared vectors bind the two.
"""
