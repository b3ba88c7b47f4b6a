"""`fields` and `omit` of the contract look-up: parsing selectors, and selecting from a record.

The response consists of slices of the record's own bytes, so numbers and strings stay as the compiler wrote
them. The edge module does the same in JavaScript; shared vectors test both.
"""
