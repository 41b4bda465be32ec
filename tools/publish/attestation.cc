#include "publish/attestation.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "base/base64.h"
#include "base/digest.h"
#include "base/github_repository.h"
#include "base/json.h"
#include "base/text.h"
#include "base/url.h"
#include "pep/name.h"
#include "pep/wheel_name.h"

namespace pinwheel::publish {
namespace {

using AttestationJson = nlohmann::json;

constexpr const char* kGithubIssuer = "https://token.actions.githubusercontent.com";
constexpr const char* kGithubPrefix = "https://github.com/";

tl::unexpected<Error> no_attestation(const std::string& why) {
  return fail(ErrorKind::check, fmt::format("this is not an attestation: {}", why),
              "pass a `.publish.attestation` file, a Sigstore bundle, or the provenance of a file "
              "as an index serves it");
}

/// The value of a member that is a text, found by its path; nullopt without one.
std::optional<std::string> text_at(const AttestationJson& json, const char* pointer) {
  const AttestationJson::json_pointer place(pointer);
  if (!json.contains(place) || !json[place].is_string()) return std::nullopt;
  return json[place].get<std::string>();
}

Result<AttestedFile> read_subject(const AttestationJson& subject) {
  const auto name = text_at(subject, "/name");
  const auto sha256 = text_at(subject, "/digest/sha256");
  if (!name || !sha256 || !is_sha256_hex(*sha256)) {
    return no_attestation("a subject has no name or no SHA-256");
  }
  return AttestedFile{*name, *sha256};
}

/// Reads the statement of a document, base64 at `pointer`.
Result<Attestation> read_statement(const AttestationJson& document, const char* pointer) {
  const auto encoded = text_at(document, pointer);
  const auto bytes = encoded ? from_base64(*encoded, Base64::padded) : std::nullopt;
  if (!bytes) return no_attestation("it contains no statement");
  const AttestationJson statement = read_json(*bytes);
  const auto predicate = text_at(statement, "/predicateType");
  if (!predicate || !statement.contains("subject") || !statement["subject"].is_array()) {
    return no_attestation("its statement is not one of in-toto");
  }
  Attestation attestation{
      .document = document.dump(), .predicate = *predicate, .statement_sha256 = sha256_hex(*bytes)};
  for (const AttestationJson& subject : statement["subject"]) {
    TRY(AttestedFile file, read_subject(subject));
    attestation.files.push_back(std::move(file));
  }
  return attestation;
}

/// Reads an attestation of PEP 740 or a bundle.
Result<Attestation> read_document(const AttestationJson& document) {
  if (document.contains("mediaType")) {
    TRY(Attestation bundle, read_statement(document, "/dsseEnvelope/payload"));
    bundle.form = AttestationForm::bundle;
    return bundle;
  }
  TRY(Attestation attestation, read_statement(document, "/envelope/statement"));
  if (attestation.files.size() == 1) return attestation;
  return no_attestation("it is not about exactly one file");
}

Result<std::vector<Attestation>> read_provenance(const AttestationJson& provenance) {
  std::vector<Attestation> found;
  for (const AttestationJson& bundle : provenance["attestation_bundles"]) {
    if (!bundle.is_object() || !bundle.contains("attestations")) {
      return no_attestation("a publisher has no attestations");
    }
    for (const AttestationJson& each : bundle["attestations"]) {
      if (!each.is_object()) return no_attestation("an attestation is not an object");
      TRY(Attestation attestation, read_document(each));
      found.push_back(std::move(attestation));
    }
  }
  if (found.empty()) return no_attestation("it is an empty provenance");
  return found;
}

/// Whether two tag sets have the same tags, in any order.
bool are_same_tags(const pep::TagSet& a, const pep::TagSet& b) {
  const auto set_of = [](const std::vector<std::string>& parts) {
    return std::set<std::string>(parts.begin(), parts.end());
  };
  return set_of(a.python) == set_of(b.python) && set_of(a.abi) == set_of(b.abi) &&
         set_of(a.platform) == set_of(b.platform);
}

/// Whether two names are of the same wheel or sdist, however they are spelled.
bool is_same_file(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto wheel_a = pep::parse_wheel_name(a);
  const auto wheel_b = pep::parse_wheel_name(b);
  if (wheel_a && wheel_b) {
    return pep::normalize_name(wheel_a->distribution) ==
               pep::normalize_name(wheel_b->distribution) &&
           pep::to_string(wheel_a->version) == pep::to_string(wheel_b->version) &&
           wheel_a->build == wheel_b->build && wheel_a->variant == wheel_b->variant &&
           are_same_tags(wheel_a->tags, wheel_b->tags);
  }
  const auto sdist_a = pep::parse_sdist_name(a);
  const auto sdist_b = pep::parse_sdist_name(b);
  return sdist_a && sdist_b &&
         pep::normalize_name(sdist_a->distribution) == pep::normalize_name(sdist_b->distribution) &&
         pep::to_string(sdist_a->version) == pep::to_string(sdist_b->version);
}

/// The issuer of the identity tokens of a host's jobs.
std::string issuer_for(const std::string& repository) {
  if (repository.starts_with(kGithubPrefix)) return kGithubIssuer;
  const auto url = split_url(repository);
  return url ? fmt::format("{}://{}", url->scheme, url->host) : std::string();
}

/// Whether the workflow of a certificate is that file, at the commit or the ref of the certificate.
bool is_workflow(const Signer& signer, const ExpectedSigner& expected) {
  const std::string file =
      fmt::format("{}/.github/workflows/{}@", expected.repository, expected.workflow);
  return (!signer.ref.empty() && signer.workflow == file + signer.ref) ||
         (!signer.commit.empty() && signer.workflow == file + signer.commit);
}

}  // namespace

Result<std::vector<Attestation>> parse_attestations(std::string_view text) {
  const AttestationJson json = read_json(text);
  if (!json.is_object()) return no_attestation("it is not a JSON object");
  if (json.contains("attestation_bundles")) return read_provenance(json);
  TRY(Attestation attestation, read_document(json));
  return std::vector<Attestation>{std::move(attestation)};
}

Done check_attested(const Attestation& attestation, const AttestedFile& file) {
  if (attestation.predicate != kPublishPredicate && attestation.predicate != kProvenancePredicate) {
    return fail(ErrorKind::check,
                "the attestation does not state that the file was published, or how it was built",
                fmt::format("it states {}", quoted(attestation.predicate)));
  }
  std::vector<std::string> names;
  for (const AttestedFile& each : attestation.files) {
    if (is_same_file(each.name, file.name)) {
      if (each.sha256 == file.sha256) return {};
      return fail(
          ErrorKind::check,
          fmt::format("the attestation is about a {} with other contents", quoted(file.name)),
          fmt::format("it states sha256={}, the file has sha256={}", each.sha256, file.sha256));
    }
    names.push_back(each.name);
  }
  return fail(ErrorKind::check, fmt::format("the attestation is not about {}", quoted(file.name)),
              fmt::format("it is about {}", names.empty() ? "no file" : quoted_list(names)));
}

std::vector<std::string> attestation_names(std::string_view filename) {
  return {fmt::format("{}.publish.attestation", filename),
          fmt::format("{}.slsa.attestation", filename)};
}

std::string bundle_name(std::string_view filename) {
  return fmt::format("{}.sigstore.json", filename);
}

std::string attestations_field(const std::vector<Attestation>& attestations) {
  std::vector<std::string> documents;
  documents.reserve(attestations.size());
  for (const Attestation& each : attestations) documents.push_back(each.document);
  return "[" + join(documents, ",") + "]";
}

Result<ExpectedSigner> expected_signer(std::string_view repository, std::string_view workflow) {
  ExpectedSigner expected{std::string(without_trailing_slashes(repository)), std::string(workflow)};
  if (!is_address(expected.repository)) {
    if (!is_owner_and_name(expected.repository)) {
      return fail(ErrorKind::usage, fmt::format("{} is not a repository", quoted(repository)),
                  "write `OWNER/NAME` for one on GitHub, or its URL");
    }
    expected.repository = kGithubPrefix + expected.repository;
  }
  if (workflow.find('/') != std::string_view::npos) {
    return fail(ErrorKind::usage, fmt::format("{} is not a workflow", quoted(workflow)),
                "write the name of its file in `.github/workflows`, `release.yml`");
  }
  if (!workflow.empty() && !expected.repository.starts_with(kGithubPrefix)) {
    return fail(ErrorKind::usage, "`--workflow` is for repositories on GitHub",
                "leave it out: the repository is checked");
  }
  return expected;
}

Done check_signer(const Signer& signer, const ExpectedSigner& expected) {
  const std::string issuer = issuer_for(expected.repository);
  if (signer.issuer != issuer || signer.repository != expected.repository) {
    return fail(ErrorKind::check,
                fmt::format("the signer is not a job of {}", quoted(expected.repository)),
                fmt::format("it is {}, whose identity was issued by {}", quoted(signer.identity),
                            quoted(signer.issuer)));
  }
  if (expected.workflow.empty() || is_workflow(signer, expected)) return {};
  return fail(ErrorKind::check,
              fmt::format("the signer is not the workflow {}", quoted(expected.workflow)),
              fmt::format("it is {}", quoted(signer.workflow)));
}

}  // namespace pinwheel::publish
