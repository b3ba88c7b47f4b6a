"""The rows of clear signing in the table of URLs."""

from statuary.site.urls import PutStep, Url

CALLDATA_INDEX = Url(
    "clear-signing-calldata",
    "clear-signing/index.calldata.json",
    "the ERC-7730 descriptor of each contract, as the registry's readers fetch it",
    own_rule=True,
)
MESSAGES_INDEX = Url(
    "clear-signing-messages",
    "clear-signing/index.eip712.json",
    "the ERC-7730 descriptors of each contract's EIP-712 messages, as the registry's readers fetch them",
    own_rule=True,
)
SIGNING = Url(
    "clear-signing",
    "clear-signing/index.json",
    "every deployment of every ERC-7730 descriptor, with what is shown of it",
    own_rule=True,
)
SIGNING_PROOF = Url(
    "clear-signing-proof",
    "clear-signing/proof/{chain_id}/{address}.json",
    "what was compared of the descriptors of a contract, with which record and block, and what is never proved",
    put=PutStep.BODY,
)
SIGNING_EXAMPLES = Url(
    "clear-signing-examples",
    "clear-signing/examples/{path}",
    "what wallets show of the example calls in the tests of an ERC-7730 descriptor",
    put=PutStep.BODY,
)
SIGNING_DESCRIPTOR = Url(
    "clear-signing-descriptor",
    "clear-signing/registry/{path}",
    "an ERC-7730 descriptor, a file that one includes, or an attestation, byte for byte",
    put=PutStep.BODY,
)
SIGNING_SHARED = Url(
    "clear-signing-shared",
    "clear-signing/ercs/{path}",
    "a file that ERC-7730 descriptors include, byte for byte",
    put=PutStep.BODY,
)
SIGNING_URLS = (
    CALLDATA_INDEX,
    MESSAGES_INDEX,
    SIGNING,
    SIGNING_PROOF,
    SIGNING_EXAMPLES,
    SIGNING_DESCRIPTOR,
    SIGNING_SHARED,
)
"""The rows of clear signing in the table of URLs."""
