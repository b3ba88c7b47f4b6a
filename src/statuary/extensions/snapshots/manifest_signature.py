"""Sign and verify manifests in the format of minisign.

The package `py-minisign` signs and verifies; keys are made by `minisign -G`.
"""

from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from statuary.base.files import MANIFEST, SIGNATURE, PublishingError
from statuary.base.optional import import_optional
from statuary.publish.listing import DamagedSnapshotError
from statuary.publish.manifest import parse_manifest

if TYPE_CHECKING:
    from minisign import PublicKey, SecretKey, Signature


Signer = Callable[[bytes], bytes]
"""A function that returns the signature of a manifest, as the text of a .minisig file."""


def _import_minisign() -> ModuleType:
    return import_optional("minisign", extra="snapshot", purpose="A signature")


def read_minisign_key_id(key_or_signature: bytes) -> str:
    """Read the id in a minisign key or signature, as hex.

    Args:
        key_or_signature: the content of the key file or signature file.

    Raises:
        DamagedSnapshotError: if the text is not a key or signature.
    """
    try:
        return b64decode(key_or_signature.splitlines()[1], validate=True)[2:10][::-1].hex().upper()
    except (IndexError, ValueError):
        raise DamagedSnapshotError(f"{SIGNATURE} is not a minisign signature") from None


def parse_public_key(key_text: str) -> "PublicKey":
    """Parse a minisign public key.

    Args:
        key_text: the key in base64, or the content of a .pub file.

    Raises:
        PublishingError: if the text is not a public key.
    """
    minisign = _import_minisign()
    lines = key_text.split("\n") or [""]
    try:
        key: PublicKey = minisign.PublicKey.from_base64(lines[1 if len(lines) > 1 else 0].strip())
    except minisign.Error:
        raise PublishingError(
            "the text is not a minisign public key",
            "give the .pub file that `minisign -G` wrote, or its second line",
        ) from None
    return key


def parse_secret_key(key_text: str, ask_password: Callable[[], str]) -> "SecretKey":
    """Parse a minisign secret key, and decrypt it if necessary.

    Args:
        key_text: the content of the .key file.
        ask_password: a function that asks the user for the password.

    Raises:
        PublishingError: if the text is not a secret key, or the password is wrong.
    """
    minisign = _import_minisign()
    try:
        key: SecretKey = minisign.SecretKey.from_bytes(key_text.encode())
    except minisign.Error:
        raise PublishingError(
            "the file is not a minisign secret key", "give the .key file that `minisign -G` wrote"
        ) from None
    try:
        if key.is_encrypted():
            key.decrypt(ask_password())
    except minisign.Error as error:
        raise PublishingError(
            f"the secret key cannot be decrypted: {error}", "type the password that you gave to `minisign -G`"
        ) from None
    return key


def make_manifest_signer(secret_key: "SecretKey") -> Signer:
    """Make a function that signs a site's manifest with minisign.

    The manifest is the list of the site's files. The signature contains the time of the site instead of the time
    of signing, so signing the same site again gives the same bytes.

    Raises:
        PublishingError: if the two halves of the key do not match.
    """

    def sign(manifest: bytes) -> bytes:
        instant = parse_manifest(manifest).origin.instant
        comment = f"timestamp:{int(instant.timestamp())}\tfile:{Path(MANIFEST).name}\thashed"
        public = secret_key.get_public_key()
        signature = secret_key.sign(
            manifest,
            untrusted_comment=f"signature of a statuary snapshot by key {read_minisign_key_id(bytes(public))}",
            trusted_comment=comment,
        )
        try:
            public.verify(manifest, signature)
        except _import_minisign().VerifyError:
            raise PublishingError(
                "the secret key is damaged: its public half belongs to another key",
                "restore the .key file from a backup, or make a new key with `minisign -G`",
            ) from None
        return bytes(signature) + b"\n"

    return sign


def parse_signature(signature_text: bytes) -> "Signature":
    """Parse a minisign signature.

    Args:
        signature_text: the content of the .minisig file.

    Raises:
        DamagedSnapshotError: if the text is not a signature, or is in the legacy format without prehashing.
    """
    minisign = _import_minisign()
    try:
        signature: Signature = minisign.Signature.from_bytes(signature_text)
    except minisign.Error:
        raise DamagedSnapshotError(f"{SIGNATURE} is not a minisign signature") from None
    if not signature.is_prehashed():
        raise DamagedSnapshotError(
            f"{SIGNATURE} is in minisign's legacy format", "sign the site again with `statuary snapshot sign`"
        )
    return signature


def verify_manifest_signature(
    site_name: str, manifest: bytes | None, signature_text: bytes | None, public_key: "PublicKey"
) -> "Signature":
    """Verify the minisign signature of a site's manifest.

    The manifest is the list of the site's files. The signature's trusted comment is verified too.

    Args:
        site_name: the name of the site, for error messages.
        manifest: the manifest; None if the site has none.
        signature_text: the content of the .minisig file; None if the site has none.
        public_key: the key that must have signed.

    Returns:
        The verified signature.

    Raises:
        DamagedSnapshotError: if the manifest is not signed with the key.
    """
    if manifest is None or signature_text is None:
        raise DamagedSnapshotError(
            f"{site_name} is not signed: it has no {SIGNATURE if manifest else MANIFEST}",
            "sign it with `statuary snapshot sign`, or leave out --public-key",
        )
    signature = parse_signature(signature_text)
    if read_minisign_key_id(signature_text) != read_minisign_key_id(bytes(public_key)):
        raise DamagedSnapshotError(
            f"{SIGNATURE} is by key {read_minisign_key_id(signature_text)}, not by the key of --public-key, {read_minisign_key_id(bytes(public_key))}",
            "trust it only if its publisher confirms the other key",
        )
    try:
        public_key.verify(manifest, signature)
    except _import_minisign().VerifyError:
        raise DamagedSnapshotError(
            f"the signature in {SIGNATURE} is invalid: the manifest was changed after it was signed"
        ) from None
    return signature
