#pragma once
/// Signed statements about files: attestations of PEP 740, and bundles of Sigstore
/// (https://docs.sigstore.dev/about/bundle/), which contain in-toto statements
/// (https://in-toto.io/Statement/v1).
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pinwheel::publish {

/// A file that a statement is about.
struct AttestedFile {
  std::string name;
  std::string sha256;  ///< hexadecimal

  bool operator==(const AttestedFile&) const = default;
};

/// The forms of a signed statement: only the first is uploaded to indexes.
enum class AttestationForm { attestation, bundle };

/// The statement that a file was published by a job (PEP 740).
inline constexpr std::string_view kPublishPredicate =
    "https://docs.pypi.org/attestations/publish/v1";
/// The statement about how a file was built (https://slsa.dev/spec/v1.2/build-provenance).
inline constexpr std::string_view kProvenancePredicate = "https://slsa.dev/provenance/v1";

/// A statement to sign.
struct Statement {
  AttestedFile file;
  std::string predicate_type = std::string(kPublishPredicate);
  std::string predicate = {};  ///< JSON; empty: none, as for a publication

  bool operator==(const Statement&) const = default;
};

/// A signed statement. Nothing is verified yet, not even that it is signed.
struct Attestation {
  std::string document;   ///< JSON
  std::string predicate;  ///< what it states: `kPublishPredicate`
  std::vector<AttestedFile> files = {};
  AttestationForm form = AttestationForm::attestation;
  std::string statement_sha256 = {};  ///< hexadecimal, of the bytes that are signed

  bool operator==(const Attestation&) const = default;
};

/// The statements of a document: an attestation, a bundle, or the provenance that an index serves,
/// which has the attestations of a file. Kind `check` for any other text.
Result<std::vector<Attestation>> parse_attestations(std::string_view text);

/// Kind `check` unless the statement is that this file was published, or how it was built: a file
/// with this digest, and with this name as a wheel or an sdist.
Done check_attested(const Attestation& attestation, const AttestedFile& file);

/// The names of the files in which tools store the attestations of a file that is uploaded:
/// "F.whl.publish.attestation", "F.whl.slsa.attestation".
std::vector<std::string> attestation_names(std::string_view filename);

/// The name of the file with the Sigstore bundle of a file: "F.whl.sigstore.json".
std::string bundle_name(std::string_view filename);

/// The field `attestations` of an upload form: a JSON list.
std::string attestations_field(const std::vector<Attestation>& attestations);

/// The signer of a statement according to its certificate. Texts are empty if it does not state
/// them; see https://github.com/sigstore/fulcio/blob/main/docs/oid-info.md.
struct Signer {
  std::string identity;    ///< the URL of a workflow, or an e-mail address
  std::string issuer;      ///< "https://token.actions.githubusercontent.com"
  std::string repository;  ///< "https://github.com/acme/kernels"
  std::string workflow;  ///< "https://github.com/acme/kernels/.github/workflows/r.yml@refs/tags/v1"
  std::string commit;    ///< hexadecimal
  std::string ref;       ///< "refs/tags/v1"
  std::string run;       ///< the URL of the job
  std::string statement_sha256 = {};  ///< hexadecimal, of the statement that it signed

  bool operator==(const Signer&) const = default;
};

/// The signer that a user expects.
struct ExpectedSigner {
  std::string repository;     ///< URL
  std::string workflow = {};  ///< name of its file, "release.yml"; empty: any

  bool operator==(const ExpectedSigner&) const = default;
};

/// `repository` is "OWNER/NAME" on GitHub, or a URL. Kind `usage` for any other text, for a
/// workflow that is not the name of a file, and for one of another host than github.com.
Result<ExpectedSigner> expected_signer(std::string_view repository, std::string_view workflow);

/// Kind `check` if someone else signed: the certificate must be for a job of that repository, from
/// the issuer of its host, and for that workflow at the certificate's own commit or ref.
Done check_signer(const Signer& signer, const ExpectedSigner& expected);

}  // namespace pinwheel::publish
