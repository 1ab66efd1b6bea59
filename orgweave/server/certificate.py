"""A certificate of the server's own, for clients that speak nothing but https.

It is made when serving begins, signed by itself, and good for this machine's own names only; a
client trusts it by being given its file. Needs cryptography, which only `serve --tls` does.

Example: `REQUESTS_CA_BUNDLE=<file>` for Python's clients, `NODE_EXTRA_CA_CERTS=<file>` for Node's.
"""

import ipaddress
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.private_folder import private_folder
from schemas.errors import BadInput

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec

USE = "tls"
"""Tells these private folders from those of other uses."""
OWN_NAMES = ("localhost", "127.0.0.1", "::1")
GOOD_FOR = timedelta(days=90)
SKEW = timedelta(days=1)
"""How long before now it is good already: another clock may be behind."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """The files of a certificate and its key; they go when serving ends."""

    certificate: Path
    key: Path


@contextmanager
def own_certificate(host: str) -> Iterator[Certificate]:
    """Makes a certificate for an address and for this machine's own names.

    Raises BadInput where the library is missing.
    """
    try:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ec
    except ImportError as error:
        raise BadInput(
            "--tls needs cryptography, which isn't installed; run: pip install 'orgweave[serve]'"
        ) from error
    key = ec.generate_private_key(ec.SECP256R1())
    certificate = _signed(key, host)
    with private_folder(USE) as folder:
        made = Certificate(folder / "certificate.pem", folder / "key.pem")
        made.key.touch(mode=0o600)
        made.key.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        made.certificate.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        yield made


def _signed(key: "ec.EllipticCurvePrivateKey", host: str) -> "x509.Certificate":
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes

    public = key.public_key()
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "orgweave serve")])
    now = datetime.now(UTC)
    names = [_general_name(known) for known in dict.fromkeys((*OWN_NAMES, host))]
    identifier = x509.SubjectKeyIdentifier.from_public_key(public)
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - SKEW)
        .not_valid_after(now + GOOD_FOR)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        # A client that is given it trusts it as its own authority, which must be one by its form.
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(), critical=True)
        .add_extension(identifier, critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier),
            critical=False,
        )
    )
    return builder.sign(key, hashes.SHA256())


def _usage() -> "x509.KeyUsage":
    """What the key is for: to sign handshakes, and the certificate itself."""
    from cryptography import x509

    return x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )


def _general_name(name: str) -> "x509.GeneralName":
    from cryptography import x509

    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
