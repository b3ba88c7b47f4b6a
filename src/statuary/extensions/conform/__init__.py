"""Test any deployment against both APIs (`statuary conform`).

`conformance` lists the checks and runs them on a `CheckedDeployment`, whose requests go out through the
extension `http`; a check yields what is wrong, and says so where its rule does not apply.
"""
