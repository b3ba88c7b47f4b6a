"""Documents with rendered examples of descriptors."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from hashlib import sha256

from typing_extensions import override

from statuary.base.budget import DEFECT, run_guarded, step_budget
from statuary.base.findings import Finding
from statuary.extensions.clear_signing.descriptors import (
    FOLDER,
    Descriptor,
    SigningFileKind,
)
from statuary.extensions.clear_signing.examples import (
    Chains,
    Descriptors,
    example_document,
    named_descriptors,
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
        self.asked: set[tuple[str, str]] = set()
        """The contracts whose descriptors were asked for, by address and chain id."""

    @override
    def find(self, call: Call) -> Descriptor | None:
        place = call.to, str(call.chain_id)
        self.asked.add(place)
        item = self._bound.get(place)
        return None if item is None else self.read_descriptor(item.path)

    def read_descriptor(self, path: str) -> Descriptor:
        """Read a valid descriptor, or return it if it was read before.

        Args:
            path: the path of the descriptor in its folder.
        """
        if path not in self._read:
            with step_budget():
                self._read[path] = self._folder.read_descriptor(path)
        return self._read[path]

    def files_at(self, place: tuple[str, str]) -> tuple[object, ...]:
        """Return the files of the descriptor for a contract, with digests.

        Args:
            place: the address and chain id of the contract.

        Returns:
            The files; empty if no valid descriptor applies to the contract.
        """
        item = self._bound.get(place)
        return () if item is None else tuple(map(tuple, item.inputs))


class SiteExamples:
    """The documents with rendered examples of the published descriptors.

    A document is reused while its inputs are unchanged.

    Attributes:
        descriptor_paths: the path of the descriptor that each test file tests; empty for an unreadable file.
        bases: the inputs of each document by path of the descriptor, once it was rendered.
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
        self.descriptor_paths = named_descriptors(verification.folder, cached.tests)
        self.bases: dict[str, ExampleBasis] = {}
        self.has_defect = False

    def documents(self) -> Iterator[Document]:
        """Yield a document with examples for each published descriptor.

        The document has no examples if the descriptor has no tests, or none can be rendered.
        """
        tests: dict[str, list[str]] = {}
        for path, descriptor_path in self.descriptor_paths.items():
            tests.setdefault(descriptor_path, []).append(path)
        items = {item.path: item for item, _ in self._verification.published()}
        for path, item in sorted(items.items()):
            own_tests = tests.get(path, [])
            body = self._reuse_published(item, own_tests) or self._render_document(item, own_tests)
            names = tuple(f"{FOLDER}/{name}" for name in (path, *own_tests))
            yield Document(SIGNING_EXAMPLES.path(path=path), body, sources=names)

    def _inputs_digest(
        self, item: DescriptorVerdict, tests: list[str], asked: tuple[tuple[str, str], ...]
    ) -> str:
        return digest_of(
            tuple(map(tuple, item.inputs)),
            tuple((path, self._verification.folder.file_digest(path)) for path in tests),
            tuple((*place, self._descriptors.files_at(place)) for place in asked),
        )

    def _reuse_published(self, item: DescriptorVerdict, tests: list[str]) -> bytes | None:
        """Return the published document if its inputs are unchanged, or None."""
        previous_basis = self._before.get(item.path)
        if previous_basis is None or previous_basis.basis != self._inputs_digest(
            item, tests, previous_basis.asked
        ):
            return None
        body = self._published(SIGNING_EXAMPLES.path(path=item.path))
        if body is None or sha256(body).hexdigest() != previous_basis.sha256:
            return None
        self.bases[item.path] = previous_basis
        return body

    def _render_document(self, item: DescriptorVerdict, tests: list[str]) -> bytes:
        folder, descriptors = self._verification.folder, self._descriptors
        descriptor = descriptors.read_descriptor(item.path)
        test_files = read_tests(folder, tests)
        descriptors.asked.clear()
        make = partial(example_document, descriptor, test_files, descriptors, self._chains)
        document = run_guarded(make, f"{FOLDER}/{item.path}", "rendering the examples")
        if isinstance(document, Finding):  # the next run makes the document again
            self.has_defect |= document.rule == DEFECT
            return encode_json(example_document(descriptor, [], descriptors, self._chains))
        body = encode_json(document)
        asked = tuple(sorted(descriptors.asked))
        basis = self._inputs_digest(item, tests, asked)
        self.bases[item.path] = ExampleBasis(asked, basis, sha256(body).hexdigest())
        return body
