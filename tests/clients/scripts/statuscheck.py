"""What statuscheck reads from a status page: `{"url"}` in, its summary out."""

import json
import sys

from statuscheck.services.bases._statuspageio import BaseStatusPageAPI


class Page(BaseStatusPageAPI):
    """A page of our own, as the package's subclasses are each of one provider's."""

    name = "page"
    status_url = json.load(sys.stdin)["url"]

    def _get_base_url(self) -> str:
        return f"{self.status_url}/api/v2/"


json.dump(Page().get_summary().as_dict(), sys.stdout)
