"""Signs distributions and verifies signed statements about them, with sigstore and pypi-attestations.

The one argument is a file that holds a request as JSON; the answer is one line of JSON on stdout:

{"do": "sign", "statements": [{"name", "sha256", "type", "predicate"}], "form": "attestation" | "bundle",
 "trust": FILE | null}                                              -> {"attestations": [TEXT]}, one per statement
{"do": "verify", "documents": [TEXT], "trust": FILE | null}         -> {"signers": [{OID | "identity" | "statement": TEXT}]}

A statement is about a file, its `type` is that of its predicate, and `predicate` may be null. A document is an
attestation (PEP 740) or a Sigstore bundle with a DSSE envelope. `trust` names a client trust
configuration of Sigstore; without one it is the public instance. To sign, the identity token is in the variable
SIGSTORE_IDENTITY_TOKEN. To verify, no network is used: with an empty XDG_CACHE_HOME and XDG_DATA_HOME, the public
instance's root of trust is the one in the package sigstore.

If a request fails, the answer is
{"failed": "identity" | "service" | "trust" | "signature", "reason": TEXT, "index": NUMBER}.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import sys
import urllib.parse

from cryptography import x509
from pydantic import ValidationError
from pypi_attestations import Attestation
from sigstore.dsse import DigestSet, Statement, StatementBuilder, Subject
from sigstore.models import Bundle, ClientTrustConfig
from sigstore.oidc import IdentityError, IdentityToken
from sigstore.sign import SigningContext
from sigstore.verify import Verifier, policy

STATEMENT = "application/vnd.in-toto+json"


class Failed(Exception):
    """A failure to report: which kind, why, and for which file or document."""

    def __init__(self, kind: str, reason: object, index: int = 0):
        super().__init__(str(reason))
        self.kind = kind
        self.index = index


def full_reason(error: BaseException) -> str:
    """The first lines of the messages of an error and of those that caused it."""
    reasons = []
    each: BaseException | None = error
    while each is not None:
        text = next(iter(str(each).splitlines()), type(each).__name__)
        if text not in reasons:
            reasons.append(text)
        each = each.__cause__ or each.__context__
    return ": ".join(reasons)


def is_confidential(address: str) -> bool:
    """Whether nobody else reads what is sent there."""
    url = urllib.parse.urlsplit(address)
    return url.scheme == "https" or url.hostname in ("localhost", "127.0.0.1", "::1")


def trust_configuration(path: str) -> ClientTrustConfig:
    try:
        text = pathlib.Path(path).read_text()
        for service in json.loads(text)["signingConfig"]["caUrls"]:
            if not is_confidential(service["url"]):
                raise ValueError(f"{service['url']} would get the identity token of the job without encryption")
        return ClientTrustConfig.from_json(text)
    except Exception as error:  # the file may contain anything
        raise Failed("trust", full_reason(error)) from error


def signing_context(trust: str | None) -> SigningContext:
    try:
        configuration = trust_configuration(trust) if trust else ClientTrustConfig.production()
        # PEP 740 has no member for the timestamps that entries of the second version of Rekor need.
        configuration.force_tlog_version = 1
        return SigningContext.from_trust_config(configuration)
    except Failed:
        raise
    except Exception as error:
        raise Failed("trust" if trust else "service", full_reason(error)) from error


def in_toto(statement: dict) -> Statement:
    subject = Subject(name=statement["name"], digest=DigestSet(root={"sha256": statement["sha256"]}))
    return StatementBuilder([subject], statement["type"], statement["predicate"]).build()


def sign(request: dict) -> dict:
    try:
        identity = IdentityToken(os.environ["SIGSTORE_IDENTITY_TOKEN"])
    except IdentityError as error:
        raise Failed("identity", full_reason(error)) from error
    signed = []
    try:
        with signing_context(request["trust"]).signer(identity, cache=True) as signer:
            for statement in request["statements"]:
                bundle = signer.sign_dsse(in_toto(statement))
                whole = request["form"] == "bundle"
                signed.append(bundle.to_json() if whole else Attestation.from_bundle(bundle).model_dump_json())
    except Failed:
        raise
    except ValidationError as error:
        raise Failed("signature", error, len(signed)) from error
    except Exception as error:  # the services' clients raise errors of several libraries
        raise Failed("service", full_reason(error), len(signed)) from error
    return {"attestations": signed}


def verifier(trust: str | None) -> Verifier:
    if not trust:
        return Verifier.production(offline=True)
    configuration = trust_configuration(trust)
    try:
        return Verifier(trusted_root=configuration.trusted_root)
    except Exception as error:
        raise Failed("trust", full_reason(error)) from error


def bundle_of(document: str) -> Bundle:
    if "mediaType" in json.loads(document):
        return Bundle.from_json(document)
    return Attestation.model_validate_json(document).to_bundle()


def signer_of(bundle: Bundle) -> dict:
    """The identity in the certificate of a bundle, and the claims about its job by object identifier."""
    names = bundle.signing_certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return {**Attestation.from_bundle(bundle).certificate_claims, "identity": str(names[0].value)}


def verified(trusted: Verifier, document: str) -> dict:
    """The signer of a document and the digest of its statement. The caller compares both with what it expects."""
    bundle = bundle_of(document)
    payload_type, payload = trusted.verify_dsse(bundle, policy.UnsafeNoOp())
    if payload_type != STATEMENT:
        raise ValueError(f"the signed payload is {payload_type}, not a statement")
    return {**signer_of(bundle), "statement": hashlib.sha256(payload).hexdigest()}


def verify(request: dict) -> dict:
    trusted = verifier(request["trust"])
    signers = []
    for document in request["documents"]:
        try:
            signers.append(verified(trusted, document))
        except Exception as error:  # a document may contain anything
            raise Failed("signature", full_reason(error), len(signers)) from error
    return {"signers": signers}


def main() -> int:
    request = json.loads(pathlib.Path(sys.argv[1]).read_text())
    try:
        reply = {"sign": sign, "verify": verify}[request["do"]](request)
    except Failed as failure:
        reply = {"failed": failure.kind, "reason": str(failure), "index": failure.index}
    print(json.dumps(reply))
    return 0


if __name__ == "__main__":
    sys.exit(main())
