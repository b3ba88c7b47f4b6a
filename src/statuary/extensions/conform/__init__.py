"""`statuary conform`: whether a deployment, of statuary or not, answers as both APIs do.

`conformance` lists the checks and runs them on a `CheckedDeployment`, whose requests go out through the extension
`http`; a check yields what is wrong, and says so where its rule does not apply.
"""
