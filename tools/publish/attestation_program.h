#pragma once
/// The program that signs and verifies: publish/attestations.py, with the packages `sigstore` and
/// `pypi-attestations` of PyPI. This module writes its requests and reads its replies.
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "publish/attestation.h"

namespace pinwheel::publish {

/// The text of publish/attestations.py, embedded by the build.
std::string_view attestation_script();
/// The exact packages that it needs, with their digests: a requirements file for pip.
std::string_view attestation_packages();

/// The variable of the script with the identity token.
inline constexpr const char* kIdentityTokenVariable = "SIGSTORE_IDENTITY_TOKEN";
/// The audience of identity tokens for Sigstore.
inline constexpr std::string_view kSigstoreAudience = "sigstore";

/// Statements to sign, and the form of their documents.
struct StatementList {
  std::vector<Statement> statements = {};
  AttestationForm form = AttestationForm::attestation;
};

/// A request to sign. `trust` is the client trust configuration of a private Sigstore; empty: the
/// public instance.
std::string sign_request(const StatementList& list, const std::string& trust);
/// One document for each statement, in order. Kind `transient` if a service of Sigstore did not
/// respond, `config` for an invalid trust configuration, else `publish`.
Result<std::vector<Attestation>> signed_reply(std::string_view reply, const StatementList& list);

std::string verify_request(const std::vector<Attestation>& attestations, const std::string& trust);
/// One signer for each attestation, in order. Kind `check` for an invalid signature, `config` for
/// an invalid trust configuration, `environment` for another answer.
Result<std::vector<Signer>> verified_reply(std::string_view reply,
                                           const std::vector<Attestation>& attestations);

}  // namespace pinwheel::publish
