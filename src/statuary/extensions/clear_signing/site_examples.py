"""Documents with rendered examples of descriptors."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from hashlib import sha256

from typing_extensions import override

from statuary.base.budget import DEFECT, limit_steps, run_guarded
from statuary.base.findings import Finding
from statuary.extensions.clear_signing.descriptors import (
    FOLDER,
    Descriptor,
    SigningFileKind,
)
from statuary.extensions.clear_signing.examples import (
    Chains,
    Descriptors,
    descriptor_paths_by_test,
    example_document,
    read_tests,
)
from statuary.extensions.clear_signing.render import Call
from statuary.extensions.clear_signing.urls import SIGNING_EXAMPLES
from statuary.extensions.clear_signing.verdicts import (
    EMPTY_CACHE,
    CachedResults,
    DescriptorVerdict,
    ExampleBasis,
)
from statuary.extensions.clear_signing.verification import FolderVerification
from statuary.publish.fingerprint import digest_of
from statuary.site.document import Document, encode_json


class ValidDescriptors(Descriptors):
    """The valid descriptors of contract calls in a folder, read on demand."""

    def __init__(self, verification: FolderVerification) -> None:
        super().__init__(())
        self._folder = verification.folder
        self._read = dict[str, Descriptor]()
        self._bound: dict[tuple[str, str], DescriptorVerdict] = {}
        for item in verification.descriptors:
            if item.kind is SigningFileKind.CALLDATA:
                for verdict in item.deployments:
                    place = verdict.deployment.address, verdict.deployment.chain_id
                    self._bound.setdefault(place, item)
        self.called_contracts: set[tuple[str, str]] = set()
        """The contracts whose descriptors were called_contracts for, by address and chain id."""

    @override
    def find_descriptor(self, call: Call) -> Descriptor | None:
        place = call.to, str(call.chain_id)
        self.called_contracts.add(place)
        item = self._bound.get(place)
        return None if item is None else self.read_descriptor(item.path)

    def read_descriptor(self, path: str) -> Descriptor:
        """Read a valid descriptor; a second call returns the same object.

        Args:
            path: the path of the descriptor in its folder.
        """
        if path not in self._read:
            with limit_steps():
                self._read[path] = self._folder.read_descriptor(path)
        return self._read[path]

    def descriptor_files_at(self, location: tuple[str, str]) -> tuple[object, ...]:
        """List the files of a contract's descriptor with their SHA-256.

        Args:
            location: the address and the chain id of the contract, in this order.

        Returns:
            The files; empty if no valid descriptor is for the contract.
        """
        item = self._bound.get(location)
        return () if item is None else tuple(map(tuple, item.inputs))


class SiteExamples:
    """Makes documents with example calls, one for each published descriptor.

    A document is rendered again only if its inputs have changed.

    Attributes:
        descriptor_paths: the path of the descriptor that each test file tests; empty for an unreadable file.
        bases: the inputs of each rendered document, by path of the descriptor.
        has_defect: whether a document has no examples because of an unexpected exception.
    """

    def __init__(
        self,
        verification: FolderVerification,
        chains: Chains,
        cached: CachedResults = EMPTY_CACHE,
        read_published: Callable[[str], bytes | None] = lambda _: None,
    ) -> None:
        """Prepare the documents.

        Args:
            verification: the results of checking the descriptors.
            chains: the names and currencies of chains.
            cached: the results of the last build that are still valid.
            read_published: returns the bytes that the last build published at a path, or None.
        """
        self._verification, self._chains, self._published = verification, chains, read_published
        self._before: Mapping[str, ExampleBasis] = cached.examples
        self._descriptors = ValidDescriptors(verification)
        self.descriptor_paths = descriptor_paths_by_test(verification.folder, cached.tests)
        self.bases: dict[str, ExampleBasis] = {}
        self.has_defect = False

    def documents(self) -> Iterator[Document]:
        """Make a document with example calls for each published descriptor.

        The examples come from the descriptor's tests. A document has an empty list if there are none, or none can be
        rendered.
        """
        tests: dict[str, list[str]] = {}
        for path, descriptor_path in self.descriptor_paths.items():
            tests.setdefault(descriptor_path, []).append(path)
        items = {item.path: item for item, _ in self._verification.published()}
        for path, item in sorted(items.items()):
            own_tests = tests.get(path, [])
            body = self._reuse_published(item, own_tests) or self._render_examples(item, own_tests)
            names = tuple(f"{FOLDER}/{name}" for name in (path, *own_tests))
            yield Document(SIGNING_EXAMPLES.path(path=path), body, sources=names)

    def _digest_of_inputs(
        self, verdict: DescriptorVerdict, test_paths: list[str], called_contracts: tuple[tuple[str, str], ...]
    ) -> str:
        return digest_of(
            tuple(map(tuple, verdict.inputs)),
            tuple((path, self._verification.folder.file_digest(path)) for path in test_paths),
            tuple((*place, self._descriptors.descriptor_files_at(place)) for place in called_contracts),
        )

    def _reuse_published(self, verdict: DescriptorVerdict, test_paths: list[str]) -> bytes | None:
        previous_basis = self._before.get(verdict.path)
        if previous_basis is None or previous_basis.basis != self._digest_of_inputs(
            verdict, test_paths, previous_basis.called_contracts
        ):
            return None
        body = self._published(SIGNING_EXAMPLES.path(path=verdict.path))
        if body is None or sha256(body).hexdigest() != previous_basis.sha256:
            return None
        self.bases[verdict.path] = previous_basis
        return body

    def _render_examples(self, verdict: DescriptorVerdict, test_paths: list[str]) -> bytes:
        folder, descriptors = self._verification.folder, self._descriptors
        descriptor = descriptors.read_descriptor(verdict.path)
        test_files = read_tests(folder, test_paths)
        descriptors.called_contracts.clear()
        make = partial(example_document, descriptor, test_files, descriptors, self._chains)
        document = run_guarded(make, f"{FOLDER}/{verdict.path}", "rendering the examples")
        if isinstance(document, Finding):  # the next run makes the document again
            self.has_defect |= document.rule == DEFECT
            return encode_json(example_document(descriptor, [], descriptors, self._chains))
        body = encode_json(document)
        called_contracts = tuple(sorted(descriptors.called_contracts))
        basis = self._digest_of_inputs(verdict, test_paths, called_contracts)
        self.bases[verdict.path] = ExampleBasis(called_contracts, basis, sha256(body).hexdigest())
        return body
