"""The checks of a build that the check in the reader's browser leaves out."""

LEFT_TO_BUILDS = {
    "missing-auxdata",
    "unknown-compiler-release",
    "undeclared-contract",
    "undeclared-immutable",
    "contradicted-proxy-resolution",
    "incomplete-proxy-resolution",
    "invalid-storage-layout",
    "verified-before-release",
    "vyper-integrity-mismatch",
    # what made the code
    "relabelled-code",
    "missing-metadata",
    "invented-interface",
    "deceptive-name",
    "refused-setting",
    "unknown-member",
}
"""The checks that a browser does not make; the page says so."""
