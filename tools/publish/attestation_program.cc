#include "publish/attestation_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json.h"
#include "base/text.h"

namespace pinwheel::publish {
namespace {

using ProgramJson = nlohmann::json;

/// The claims that certificates state as texts, by their object identifiers
/// (https://github.com/sigstore/fulcio/blob/main/docs/oid-info.md).
constexpr const char* kIssuerClaim = "1.3.6.1.4.1.57264.1.8";
constexpr const char* kRepositoryClaim = "1.3.6.1.4.1.57264.1.12";
constexpr const char* kCommitClaim = "1.3.6.1.4.1.57264.1.13";
constexpr const char* kRefClaim = "1.3.6.1.4.1.57264.1.14";
constexpr const char* kWorkflowClaim = "1.3.6.1.4.1.57264.1.18";
constexpr const char* kRunClaim = "1.3.6.1.4.1.57264.1.21";

std::string reply_text(const ProgramJson& json, const char* name) {
  if (!json.is_object() || !json.contains(name) || !json[name].is_string()) return {};
  return json[name].get<std::string>();
}

/// The request, with an empty `trust` as null.
std::string request_text(ProgramJson request, const std::string& trust) {
  request["trust"] = trust.empty() ? ProgramJson() : ProgramJson(trust);
  return request.dump(1, ' ', false, ProgramJson::error_handler_t::replace) + "\n";
}

/// The number of the file or document that a failure is about, at most `most`.
size_t index_of(const ProgramJson& reply, size_t most) {
  const bool stated = reply.contains("index") && reply["index"].is_number_unsigned();
  return stated ? std::min(reply["index"].get<size_t>(), most) : 0;
}

Error no_answer(ErrorKind kind) {
  return {kind, "the program that signs and verifies attestations gave no usable answer"};
}

Error bad_trust(const std::string& reason) {
  return {ErrorKind::config,
          fmt::format("the trust configuration of Sigstore is invalid: {}", quoted(reason)),
          std::nullopt,
          "pass a client trust configuration, which the operator of your Sigstore provides",
          {}};
}

/// Why nothing was signed.
Error signing_failure(const ProgramJson& reply, const std::vector<Statement>& statements) {
  const std::string kind = reply_text(reply, "failed");
  const std::string reason = reply_text(reply, "reason");
  if (kind == "trust") return bad_trust(reason);
  if (kind == "identity") {
    return {ErrorKind::publish,
            fmt::format("the identity token of the job cannot be used to sign: {}", quoted(reason)),
            std::nullopt,
            "to publish without attestations, set `attestations: never`, or pass `--attestations "
            "never`",
            {}};
  }
  if (kind.empty()) return no_answer(ErrorKind::publish);
  const size_t at = statements.empty() ? 0 : index_of(reply, statements.size() - 1);
  const std::string name = statements.empty() ? std::string() : statements[at].file.name;
  return {
      kind == "service" ? ErrorKind::transient : ErrorKind::publish,
      fmt::format("{} was not signed: {}", quoted(name), quoted(reason)),
      std::nullopt,
      "run the same command again; to publish without attestations, set `attestations: never`, or "
      "pass `--attestations never`",
      {}};
}

}  // namespace

std::string sign_request(const StatementList& list, const std::string& trust) {
  ProgramJson statements = ProgramJson::array();
  for (const Statement& each : list.statements) {
    statements.push_back(
        {{"name", each.file.name},
         {"sha256", each.file.sha256},
         {"type", each.predicate_type},
         {"predicate", each.predicate.empty() ? ProgramJson() : read_json(each.predicate)}});
  }
  const bool bundles = list.form == AttestationForm::bundle;
  return request_text({{"do", "sign"},
                       {"statements", std::move(statements)},
                       {"form", bundles ? "bundle" : "attestation"}},
                      trust);
}

Result<std::vector<Attestation>> signed_reply(std::string_view reply, const StatementList& list) {
  const std::vector<Statement>& statements = list.statements;
  const ProgramJson json = read_json(reply);
  const bool signed_all = json.is_object() && json.contains("attestations") &&
                          json["attestations"].is_array() &&
                          json["attestations"].size() == statements.size();
  if (!signed_all) return fail(signing_failure(json, statements));
  std::vector<Attestation> attestations;
  for (size_t i = 0; i < statements.size(); ++i) {
    const ProgramJson& text = json["attestations"][i];
    if (!text.is_string()) return fail(no_answer(ErrorKind::publish));
    const auto parsed = parse_attestations(text.get<std::string>());
    const bool right = parsed && parsed->front().form == list.form &&
                       parsed->front().predicate == statements[i].predicate_type &&
                       check_attested(parsed->front(), statements[i].file);
    if (!right) return fail(no_answer(ErrorKind::publish));
    attestations.push_back(parsed->front());
  }
  return attestations;
}

std::string verify_request(const std::vector<Attestation>& attestations, const std::string& trust) {
  ProgramJson documents = ProgramJson::array();
  for (const Attestation& each : attestations) documents.push_back(each.document);
  return request_text({{"do", "verify"}, {"documents", std::move(documents)}}, trust);
}

Result<std::vector<Signer>> verified_reply(std::string_view reply,
                                           const std::vector<Attestation>& attestations) {
  const ProgramJson json = read_json(reply);
  const std::string failed = reply_text(json, "failed");
  if (failed == "trust") return fail(bad_trust(reply_text(json, "reason")));
  if (!failed.empty()) {
    const size_t at = attestations.empty() ? 0 : index_of(json, attestations.size() - 1);
    return fail(ErrorKind::check,
                fmt::format("the signature of attestation {} of {} is not valid: {}", at + 1,
                            attestations.size(), quoted(reply_text(json, "reason"))),
                "the file that it is about may not be what its publisher built");
  }
  const bool all = json.is_object() && json.contains("signers") && json["signers"].is_array() &&
                   json["signers"].size() == attestations.size();
  if (!all) return fail(no_answer(ErrorKind::environment));
  std::vector<Signer> signers;
  for (const ProgramJson& each : json["signers"]) {
    signers.push_back({.identity = reply_text(each, "identity"),
                       .issuer = reply_text(each, kIssuerClaim),
                       .repository = reply_text(each, kRepositoryClaim),
                       .workflow = reply_text(each, kWorkflowClaim),
                       .commit = reply_text(each, kCommitClaim),
                       .ref = reply_text(each, kRefClaim),
                       .run = reply_text(each, kRunClaim),
                       .statement_sha256 = reply_text(each, "statement")});
    if (signers.back().statement_sha256 != attestations[signers.size() - 1].statement_sha256) {
      return fail(no_answer(ErrorKind::environment));
    }
  }
  return signers;
}

}  // namespace pinwheel::publish
