"""Clear signing: ERC-7730 descriptors, checked against the site's verified records.

Specification: ERC-7730, version 2 of the schema; the layout is that of the public registry, so that a folder
can be copied there and back. The valid descriptors are published with proofs.
"""
