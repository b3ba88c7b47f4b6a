"""Sources that are not files of the content: the URLs of objects in a store."""

SCHEMES = ("s3://", "gs://", "az://")
"""How the URL of an object store begins; endpoint and credentials come from the usual environment variables."""


def is_remote(path: str) -> bool:
    """Say whether a path is the URL of an object store."""
    return path.startswith(SCHEMES)
