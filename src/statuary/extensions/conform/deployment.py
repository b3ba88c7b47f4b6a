"""The deployment under test, with its cached responses."""

import json
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from statuary.base.errors import StatuaryError
from statuary.base.json_values import JsonObject
from statuary.base.primitives import Instant, checksum_address, keccak256
from statuary.contracts import urls as contract_urls
from statuary.status import urls as status_urls
from statuary.system.network.client import HttpResponse, UnreachableError, send
from statuary.system.network.connections import Timeouts

TIMEOUTS = Timeouts(seconds=120.0)
"""The time for a whole response."""

MAX_RESPONSE_BYTES = 64 * 1024 * 1024
"""Bytes of the largest response."""

SendRequest = Callable[[str, str, Mapping[str, str]], HttpResponse]
"""Sends a request: target (path and query, as in the request line), method, headers."""


def make_http_sender(base: str) -> SendRequest:
    """Make a function that sends HTTP requests to a site.

    Args:
        base: the URL of the site; the paths of requests are appended to it.

    Raises:
        UnreachableError: if the URL is invalid.
    """
    if urlsplit(base).scheme not in ("http", "https") or not urlsplit(base).netloc:
        raise UnreachableError(base, "is not a web address", "begin it with http:// or https://")

    def send_request(target: str, method: str, headers: Mapping[str, str]) -> HttpResponse:
        url = base.rstrip("/") + target
        return send(url, method, headers=headers, limit=MAX_RESPONSE_BYTES, timeouts=TIMEOUTS)

    return send_request


MAX_CHAINS_READ = 12
"""Limit for the lists of chains that are read to find contracts: most chains of a large site have some."""


class NotApplicableError(StatuaryError):
    """Raised by a check whose rule does not apply to the site.

    The message says why.
    """


class DeployedContract(NamedTuple):
    """A contract in the list of contracts that the site serves."""

    chain_id: str
    address: str
    entry: JsonObject

    @property
    def record_path(self) -> str:
        """The path at which the site serves the contract's record."""
        return f"/{contract_urls.CONTRACT.path(chain_id=self.chain_id, address=self.address)}"


class CheckedDeployment:
    """The published site that is tested, with a cache of its responses."""

    def __init__(self, send_request: SendRequest, now: Instant, sample_size: int = 3) -> None:
        self.ask = send_request
        self.now = now  # when the checks began
        self.sample = sample_size  # the number of records and incidents to check
        self._answers: dict[str, HttpResponse] = {}

    def get_response(self, path: str) -> HttpResponse:
        """Send a GET request, or return its cached response.

        Args:
            path: the path and query, which are appended to the URL of the site.

        Raises:
            UnreachableError: if the deployment does not respond.
        """
        if path not in self._answers:
            self._answers[path] = self.ask(path, "GET", {})
        return self._answers[path]

    def clear_cache(self) -> None:
        """Forget all cached responses, because the site may have changed."""
        self._answers.clear()

    def get_json(self, path: str) -> Any:
        """Request a JSON document, and return the parsed value.

        Args:
            path: the path of the document.

        Raises:
            NotApplicableError: if the document is missing or not JSON, which another check reports.
        """
        response = self.get_response(path)
        if response.status != 200:
            raise NotApplicableError(f"{path} returns HTTP status {response.status} instead of a document")
        try:
            return json.loads(response.body)
        except ValueError:
            raise NotApplicableError(f"{path} is not JSON") from None

    @property
    def chains(self) -> list[str]:
        """The ids of the chains (blockchains) that the site lists.

        Raises:
            NotApplicableError: if there are none, or the list cannot be read.
        """
        chains = self.get_json("/chains")
        chain_ids = [
            str(chain["chainId"]) for chain in chains if isinstance(chain, dict) and "chainId" in chain
        ]
        if not chain_ids:
            raise NotApplicableError("/chains lists no chain")
        return chain_ids

    @cached_property
    def chain(self) -> str:
        """The id of the chain whose contracts are checked.

        It is the first chain with contracts, or the first chain if none has any.

        Raises:
            NotApplicableError: if the deployment lists no chains.
        """
        return next(
            (chain_id for chain_id in self.chains[:MAX_CHAINS_READ] if self.listed_contracts(chain_id)),
            self.chains[0],
        )

    def listed_contracts(self, chain_id: str) -> list[DeployedContract]:
        """Request the list of a chain's newest contracts.

        Returns:
            The contracts; empty if the list cannot be read.
        """
        try:
            document = self.get_json(f"/{contract_urls.CONTRACTS.path(chain_id=chain_id)}")
            return [
                DeployedContract(entry["chainId"], entry["address"], entry) for entry in document["results"]
            ]
        except (NotApplicableError, KeyError, TypeError):
            return []

    @property
    def sample_contracts(self) -> list[DeployedContract]:
        """Some contracts to test, chosen from all over a chain's list.

        Raises:
            NotApplicableError: if the deployment lists no contracts.
        """
        contracts = self.listed_contracts(self.chain)
        if not contracts:
            raise NotApplicableError(f"no contract is listed on chain {self.chain}")
        step = max(1, len(contracts) // self.sample)
        return contracts[::step][: self.sample]

    def request_record(self, contract: DeployedContract) -> bytes:
        """Request a contract's record with all members (`fields=all`).

        Returns:
            The body of the response: the record as JSON.

        Raises:
            NotApplicableError: if the record is missing.
        """
        response = self.get_response(f"{contract.record_path}?fields=all")
        if response.status != 200:
            raise NotApplicableError(
                f"{contract.record_path}?fields=all returns HTTP status {response.status} instead of a record"
            )
        return response.body

    @property
    def absent_address(self) -> str:
        """An address without a verified contract, to test for 404 responses."""
        return checksum_address("0x" + keccak256(b"nobody has verified this")[-20:].hex())

    def incidents(self) -> list[JsonObject]:
        """Request the incidents and maintenance windows that the site lists.

        Raises:
            NotApplicableError: if the deployment lists none.
        """
        incidents = [
            incident
            for url, member in (
                (status_urls.INCIDENTS, "incidents"),
                (status_urls.MAINTENANCES, "scheduled_maintenances"),
            )
            for incident in self.get_json(f"/{url.path()}").get(member, [])[: self.sample]
        ]
        if not incidents:
            raise NotApplicableError("no incident is listed")
        return incidents

    def incident_path(self, incident_id: str) -> str:
        """Return the path at which the site serves an incident."""
        return f"/{status_urls.INCIDENT.path(incident_id=quote(incident_id))}"
