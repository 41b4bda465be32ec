#include "host/log/masked_log.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/encoded_pairs.h"
#include "base/mask.h"
#include "base/text.h"
#include "base/url.h"

namespace pinwheel::host {
namespace {

/// The passwords that accompany a token and mean that there is none.
bool is_filler(std::string_view password) {
  return password.empty() || password == "x-oauth-basic" || password == "x-access-token";
}

/// The secret in the part of a URL before its `@`, as written and as it is sent.
void add_userinfo(std::string_view userinfo, std::vector<Secret>& secrets) {
  const size_t colon = std::min(userinfo.find(':'), userinfo.size());
  const std::string_view after = userinfo.substr(std::min(colon + 1, userinfo.size()));
  const std::string secret(is_filler(after) ? userinfo.substr(0, colon) : after);
  if (secret.size() < Secret::kShortest) return;
  secrets.emplace_back(secret);
  const std::string sent = decode_percent(secret);
  if (sent != secret) secrets.emplace_back(sent);
}

/// A proxy may be named without a scheme: `user:password@proxy:3128`.
bool names_proxy(std::string_view name) {
  return to_lower(name).ends_with("proxy");
}

/// Whether the value is the path of a file with a secret: messages about the file show it.
bool is_path_of_file(std::string_view name, std::string_view value) {
  return name.ends_with("_FILE") && value.starts_with('/');
}

}  // namespace

std::vector<Secret> credentials_in(const std::map<std::string, std::string>& variables) {
  std::vector<Secret> secrets;
  for (const auto& [name, value] : variables) {
    for (const std::string& word : split(value, ' ')) {
      const std::optional<UrlParts> parts = split_url(word);
      if (parts) add_userinfo(parts->userinfo, secrets);
      const size_t at = word.rfind('@');
      const bool bare = !parts && names_proxy(name) && at != std::string::npos;
      if (bare) add_userinfo(std::string_view(word).substr(0, at), secrets);
    }
  }
  return secrets;
}

std::vector<Secret> secrets_in(const std::map<std::string, std::string>& variables) {
  std::vector<Secret> secrets = credentials_in(variables);
  for (const auto& [name, value] : variables) {
    const bool is_secret = names_secret(name) && !is_path_of_file(name, value);
    if (is_secret && value.size() >= Secret::kShortest) secrets.emplace_back(value);
    if (!names_otlp_headers(name)) continue;
    for (Secret& secret : secrets_in_headers(value)) {
      if (secret.can_be_hidden()) secrets.push_back(std::move(secret));
    }
  }
  return secrets;
}

std::vector<Secret> secrets_of(const std::vector<std::string>& arguments) {
  std::vector<Secret> secrets;
  for (const std::string& argument : arguments) {
    const size_t colon = argument.find("://");
    if (colon == std::string::npos) continue;
    // It may follow the name of an option: "--index=https://...".
    size_t begin = colon;
    while (begin > 0 && is_alphanumeric(argument[begin - 1])) --begin;
    const std::string address = argument.substr(begin);
    const std::vector<Secret> credentials = credentials_in({{"argument", address}});
    secrets.insert(secrets.end(), credentials.begin(), credentials.end());
    const size_t query = address.find('?');
    if (query == std::string::npos) continue;
    const std::string text = address.substr(query + 1, address.find('#', query) - query - 1);
    if (text.size() >= Secret::kShortest) secrets.emplace_back(text);
  }
  return secrets;
}

MaskedLog::MaskedLog(ports::LogHandle log) : log_(std::move(log)) {}

void MaskedLog::write(const ports::LogEvent& event) {
  const std::lock_guard lock(mutex_);
  ports::LogEvent safe = event;
  for (ports::LogField& field : safe.fields) {
    if (auto* const text = std::get_if<std::string>(&field.value)) {
      *text = hidden_.mask(mask_urls(*text));
    }
    if (auto* const list = std::get_if<std::vector<std::string>>(&field.value)) {
      for (std::string& each : *list) each = hidden_.mask(mask_urls(each));
    }
  }
  log_->write(safe);
}

void MaskedLog::hide(const Secret& secret) {
  const std::lock_guard lock(mutex_);
  hidden_.add(secret);
}

}  // namespace pinwheel::host
