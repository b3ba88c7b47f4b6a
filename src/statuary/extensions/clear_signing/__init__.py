"""Clear signing: ERC-7730 descriptors, checked against the verified records of the site and published with proofs.

Specification: ERC-7730, version 2 of the schema; the layout is that of the public registry, so that a folder can be
copied there and back. `descriptors.py` reads files and merges includes, `rules.py` has what is checked, `records.py`
the verified code that it is checked against, `verdicts.py` what is said of each descriptor in plain values, `memory.py` what of it
the next build need not judge again, `proofs.py` its proof, `stage.py` the order of a run.
"""
