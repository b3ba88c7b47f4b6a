"""Errors about objects that are read by URL do not quote the store or the library."""

import pytest

from statuary.extensions.object_stores import remote_objects
from statuary.extensions.object_stores.remote_objects import RemoteObjects, open_remote_object
from statuary.source.unreadable import UnreadableError
from support.requirements import require_module

REFUSAL = "Generic S3 error: GET http://169.254.169.254/latest/api/token?key=canary in 1 ms"


class RefusingStore:
    """A library whose every request fails with an error of the real one."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __getattr__(self, name: str) -> object:
        raise self.error


@pytest.mark.parametrize("kind", ["GenericError", "PermissionDeniedError", "UnauthenticatedError"])
def test_refused_store_read_omits_store_message(monkeypatch, kind):
    errors = require_module("obstore.exceptions", install="pip install -e '.[s3]'")
    refusing = RefusingStore(getattr(errors, kind)(REFUSAL))
    monkeypatch.setattr(remote_objects, "import_obstore", lambda: refusing)
    monkeypatch.setattr(remote_objects, "_cached_client", lambda bucket: None)
    monkeypatch.delenv("AWS_ACCESS_KEY_ID", raising=False)
    for read in (lambda url: RemoteObjects().read(url, 10), open_remote_object):
        with pytest.raises(UnreadableError, match="s3://bucket/file cannot be read: ") as raised:
            read("s3://bucket/file")
        assert "canary" not in str(raised.value)
        assert "AWS_ACCESS_KEY_ID" in str(raised.value)
