#include "host/log/masked_log.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/mask.h"
#include "base/text.h"
#include "base/url.h"

namespace pinwheel::host {
namespace {

/// The passwords of the URLs in a text: as written, and as they are sent.
void add_passwords(const std::string& text, std::vector<Secret>& secrets) {
  for (const std::string& word : split(text, ' ')) {
    const std::optional<UrlParts> parts = split_url(word);
    if (!parts) continue;
    const size_t colon = parts->userinfo.find(':');
    const std::string password =
        colon == std::string::npos ? parts->userinfo : parts->userinfo.substr(colon + 1);
    if (password.size() < Secret::kShortest) continue;
    secrets.emplace_back(password);
    secrets.emplace_back(decode_percent(password));
  }
}

}  // namespace

std::vector<Secret> secrets_in(const std::map<std::string, std::string>& variables) {
  std::vector<Secret> secrets;
  for (const auto& [name, value] : variables) {
    if (names_secret(name) && value.size() >= Secret::kShortest) secrets.emplace_back(value);
    if (value.find("://") != std::string::npos) add_passwords(value, secrets);
  }
  return secrets;
}

MaskedLog::MaskedLog(ports::LogHandle log) : log_(std::move(log)) {}

std::string MaskedLog::masked(const std::string& text) const {
  std::string out = mask_urls(text);
  for (const Secret& secret : secrets_) {
    if (out.find(secret.reveal()) != std::string::npos) out = redact(out, secret);
  }
  return out;
}

void MaskedLog::write(const ports::LogEvent& event) {
  const std::lock_guard lock(mutex_);
  ports::LogEvent safe = event;
  for (ports::LogField& field : safe.fields) {
    if (auto* const text = std::get_if<std::string>(&field.value)) *text = masked(*text);
    if (auto* const list = std::get_if<std::vector<std::string>>(&field.value)) {
      for (std::string& each : *list) each = masked(each);
    }
  }
  log_->write(safe);
}

void MaskedLog::hide(const Secret& secret) {
  if (secret.empty()) return;
  const std::lock_guard lock(mutex_);
  const auto longer = [](const Secret& one, const Secret& other) {
    return one.reveal().size() > other.reveal().size();
  };
  secrets_.insert(std::upper_bound(secrets_.begin(), secrets_.end(), secret, longer), secret);
}

}  // namespace pinwheel::host
