#include "publish/identity_claims.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "base/json.h"
#include "base/text.h"

namespace pinwheel::publish {
namespace {

/// The claims that PyPI matches with a publisher, and those that identify the job for people.
constexpr std::array kShownClaims = {"iss",
                                     "aud",
                                     "sub",
                                     "repository",
                                     "repository_owner",
                                     "repository_owner_id",
                                     "workflow_ref",
                                     "job_workflow_ref",
                                     "event_name",
                                     "ref",
                                     "environment",
                                     "namespace_path",
                                     "project_path",
                                     "ci_config_ref_uri",
                                     "organization_slug",
                                     "pipeline_slug",
                                     "oidc.circleci.com/org-id",
                                     "oidc.circleci.com/project-id",
                                     "oidc.circleci.com/pipeline-definition-id",
                                     "oidc.circleci.com/context-ids",
                                     "oidc.circleci.com/vcs-ref",
                                     "oidc.circleci.com/vcs-origin",
                                     "oidc.circleci.com/ssh-rerun",
                                     "email",
                                     "email_verified"};

std::string plain_text(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number() || value.is_boolean() ? value.dump() : std::string();
}

std::string text_of(const nlohmann::json& value) {
  if (!value.is_array()) return plain_text(value);
  std::vector<std::string> texts;
  for (const nlohmann::json& each : value) {
    if (std::string text = plain_text(each); !text.empty()) texts.push_back(std::move(text));
  }
  return join(texts, ", ");
}

}  // namespace

IdentityClaims identity_claims(const Secret& token) {
  constexpr size_t kParts = 3;
  const std::vector<std::string> parts = split(token.reveal(), '.');
  if (parts.size() != kParts) return {};
  const nlohmann::json payload = read_json(from_base64(parts[1], Base64::url).value_or(""));
  if (!payload.is_object()) return {};
  IdentityClaims claims;
  for (const auto& [name, value] : payload.items()) {
    if (std::string text = text_of(value); !text.empty()) claims[name] = std::move(text);
  }
  return claims;
}

std::string shown_claims(const IdentityClaims& claims) {
  std::vector<std::string> shown;
  for (const char* name : kShownClaims) {
    const std::string value = value_at(claims, name);
    if (!value.empty()) shown.push_back(fmt::format("{} {}", name, quoted(value)));
  }
  return join(shown, ", ");
}

std::string workflow_path(std::string_view workflow_ref) {
  const std::string_view path = workflow_ref.substr(0, workflow_ref.find('@'));
  const size_t at = path.find("/.github/");
  return std::string(at == std::string_view::npos ? path : path.substr(at + 1));
}

bool in_reusable_workflow(const IdentityClaims& claims) {
  const std::string caller = value_at(claims, "workflow_ref");
  const std::string called = value_at(claims, "job_workflow_ref");
  return !caller.empty() && !called.empty() &&
         caller.substr(0, caller.find('@')) != called.substr(0, called.find('@'));
}

}  // namespace pinwheel::publish
