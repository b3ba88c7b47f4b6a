"""Rules for optional parts of a site: clear signing, measurements and packs."""

from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from urllib.parse import quote

from statuary.base.json_values import JsonObject, as_list, as_object, as_text
from statuary.base.optional import MissingExtraError
from statuary.contracts.urls import PROOF
from statuary.extensions.clear_signing import urls
from statuary.extensions.conform.deployment import CheckedDeployment, NotApplicableError
from statuary.extensions.metrics.documents import PERIODS, POINTS
from statuary.extensions.packs.pack_format import make_pack_key
from statuary.extensions.packs.pack_list import FOLDER, LIST, ListedPack, PackListReader, parse_pack_list
from statuary.publish.listing import DamagedSnapshotError
from statuary.site.urls import OPENAPI
from statuary.system.network.client import HttpResponse

BASE = urls.SIGNING.pattern.rpartition("/")[0]


def _sample_descriptor_deployments(deployment: CheckedDeployment) -> list[JsonObject]:
    """Return some contracts that a clear-signing descriptor of the site describes.

    A descriptor is the ERC-7730 file that tells a wallet how to show a transaction.

    Raises:
        NotApplicableError: if the site has no descriptors.
    """
    target = f"/{urls.SIGNING.path()}"
    deployments = [as_object(item) for item in as_list(deployment.get_json(target).get("deployments"))]
    indexed = [item for item in deployments if item.get("indexed") is True]
    if not indexed:
        raise NotApplicableError(f"no deployment that {target} lists is in the index of descriptors")
    return indexed[: deployment.sample]


def descriptors_are_indexed(deployment: CheckedDeployment) -> Iterator[str]:
    """The clear-signing indexes must list a contract's descriptor under its address.

    A descriptor (ERC-7730) tells wallets how to show a transaction. Wallets find it in the index.
    """
    for item in _sample_descriptor_deployments(deployment):
        key = f"eip155:{item.get('chainId')}:{item.get('address')}"
        url = urls.CALLDATA_INDEX if item.get("kind") == "calldata" else urls.MESSAGES_INDEX
        entry = deployment.get_json(f"/{url.path()}").get(key)
        indexed = (
            [entry]
            if isinstance(entry, str)
            else [
                as_object(item).get("path")
                for deployment_entry in as_object(entry).values()
                for item in as_list(deployment_entry)
            ]
        )
        if item.get("descriptor") not in indexed:
            yield f"/{url.path()} does not name {item.get('descriptor')} for {key}"


def descriptors_have_proofs(deployment: CheckedDeployment) -> Iterator[str]:
    """A descriptor file must match the SHA-256 in its proof document.

    A descriptor (ERC-7730) tells wallets how to show a transaction. The proof document must also state whether the
    descriptor fits the contract's ABI.
    """
    for item in _sample_descriptor_deployments(deployment):
        path = as_text(item.get("descriptor"))
        target = f"/{BASE}/{quote(path)}"
        descriptor = deployment.get_response(target)
        if descriptor.status != 200:
            yield f"{target} returns {descriptor.status}, not 200"
            continue
        place = f"/{item.get('proof')}"
        descriptors = [as_object(item) for item in as_list(deployment.get_json(place).get("descriptors"))]
        proof = next((entry for entry in descriptors if entry.get("path") == path), {})
        if proof.get("sha256") != sha256(descriptor.body).hexdigest():
            yield f"{place} is about other bytes than those of {target}"
        fits = as_object(as_object(proof.get("claims")).get("fits")).get("status")
        if fits not in ("verified_here", "not_shown"):
            yield f"{place} says {fits!r} of {path}, which is indexed"


def metrics_have_their_points(deployment: CheckedDeployment) -> Iterator[str]:
    """Each metric must have data points for a day, a week and a month, in order and within the period."""
    path_item = as_object(deployment.get_json(f"/{OPENAPI.path()}").get("paths")).get(f"/{POINTS.pattern}")
    parameters = [
        as_object(item) for item in as_list(as_object(as_object(path_item).get("get")).get("parameters"))
    ]
    names = [
        as_text(name)
        for parameter in parameters
        if parameter.get("name") == "metric_id"
        for name in as_list(as_object(parameter.get("schema")).get("enum"))
    ]
    if not names:
        raise NotApplicableError(f"/{OPENAPI.path()} describes no metric, so no metric can be checked")
    for name in names[: deployment.sample]:
        for period in PERIODS:
            target = f"/{POINTS.path(metric_id=name, period=period.name)}"
            yield from _find_point_faults(deployment, target, period.intervals)


def _find_point_faults(deployment: CheckedDeployment, path: str, max_points: int) -> Iterator[str]:
    response = deployment.get_response(path)
    if response.status != 200:
        yield f"{path} returns {response.status}, not 200"
        return
    metric = as_object(next(iter(as_list(deployment.get_json(path).get("metrics"))), None))
    times = [as_object(point).get("timestamp") for point in as_list(metric.get("data"))]
    numbers = [time for time in times if isinstance(time, int)]
    if (
        not metric
        or len(numbers) != len(times)
        or sorted(set(numbers)) != numbers
        or len(numbers) > max_points
    ):
        yield f"{path} has no metric whose points are in order, {max_points} at most"


class ServedRanges:
    """Reads parts of a pack, an archive of many documents, over HTTP.

    If the server does not support range requests, the whole pack is downloaded.
    """

    def __init__(self, deployment: CheckedDeployment, pack: ListedPack) -> None:
        self.name, self.size = f"/{FOLDER}/{pack.path}", pack.size
        self._ask = deployment.ask

    def read(self, offset: int, size: int) -> bytes:
        """Request a range of bytes of a pack, an archive of documents.

        Raises:
            DamagedSnapshotError: if the server responds with an error.
        """
        response = self._ask(self.name, "GET", {"Range": f"bytes={offset}-{offset + size - 1}"})
        if response.status not in (200, 206):
            raise DamagedSnapshotError(
                f"{self.name} returns HTTP status {response.status} instead of 206 to a request for a range"
            )
        return response.body if response.status == 206 else response.body[offset : offset + size]

    def close(self) -> None:
        """Do nothing, since no connection stays open."""


def packs_have_the_records(deployment: CheckedDeployment) -> Iterator[str]:
    """Packs must contain the same records and proofs as the site's files.

    A pack is an archive of many documents.
    """
    response = deployment.get_response(f"/{LIST}")
    if response.status == 404:
        raise NotApplicableError(f"/{LIST} returns 404: the site publishes no packs")
    try:
        with PackListReader(
            parse_pack_list(response.body, f"/{LIST}"), partial(ServedRanges, deployment)
        ) as packs:
            for contract in deployment.sample_contracts:
                proof = PROOF.path(chain_id=contract.chain_id, address=contract.address)
                yield from _find_packing_faults(
                    packs, contract.record_path, deployment.get_response(f"{contract.record_path}?fields=all")
                )
                yield from _find_packing_faults(packs, f"/{proof}", deployment.get_response(f"/{proof}"))
    except DamagedSnapshotError as damaged:
        yield str(damaged)
    except MissingExtraError as error:
        raise NotApplicableError(str(error)) from None


def _find_packing_faults(
    packs: PackListReader, record_path: str, served_record: HttpResponse
) -> Iterator[str]:
    document = packs.find(make_pack_key(record_path[1:]))
    if document is None:
        yield f"no pack has {record_path}"
    elif served_record.status == 200 and served_record.body != document:
        yield f"the packs have other bytes for {record_path} than the server"
