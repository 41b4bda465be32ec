#include "report/attestation_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"

namespace pinwheel::report {
namespace {

using ReportedJson = nlohmann::json;

std::vector<std::pair<const char*, std::string>> texts_of(const publish::Signer& signer) {
  return {{"identity", signer.identity},
          {"issuer", signer.issuer},
          {"repository", signer.repository},
          {"workflow", signer.workflow},
          {"commit", signer.commit},
          {"ref", signer.ref},
          {"run", signer.run}};
}

}  // namespace

ReportedJson attestation_list(const std::vector<VerifiedAttestation>& attestations) {
  ReportedJson list = ReportedJson::array();
  for (const VerifiedAttestation& each : attestations) {
    ReportedJson entry = {{"predicate", each.predicate}};
    for (const auto& [name, text] : texts_of(each.signer)) {
      entry[name] = text.empty() ? ReportedJson() : ReportedJson(text);
    }
    list.push_back(std::move(entry));
  }
  return list;
}

std::string attestations_text(const std::vector<VerifiedAttestation>& attestations) {
  std::string text;
  for (const VerifiedAttestation& each : attestations) {
    text += fmt::format("attestation {}\n", quoted(each.predicate));
    for (const auto& [name, value] : texts_of(each.signer)) {
      if (!value.empty()) text += fmt::format("  {:<11} {}\n", name, quoted(value));
    }
  }
  return text;
}

std::string attested_file_json(const std::string& filename,
                               const std::vector<VerifiedAttestation>& attestations) {
  const ReportedJson json = {
      {"schema", 1}, {"file", filename}, {"attestations", attestation_list(attestations)}};
  // A certificate may contain any bytes; JSON must be UTF-8.
  return json.dump(2, ' ', false, ReportedJson::error_handler_t::replace) + "\n";
}

}  // namespace pinwheel::report
