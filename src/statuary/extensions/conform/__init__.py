"""Test any deployment against both APIs (`statuary conform`).

`conformance` lists the checks and runs them on a `CheckedDeployment`, which sends the requests. A check
yields the faults that it finds, or reports that its rule does not apply.
"""
