#include "publish/reply.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/mask.h"
#include "base/text.h"
#include "base/url.h"
#include "publish/credential_variable.h"
#include "publish/html.h"

namespace pinwheel::publish {

namespace {

constexpr size_t kMessageLimit = 500;

std::string one_line(std::string_view text) {
  std::string out;
  bool space = false;
  for (const char c : trim(text)) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || byte == 0x7f) {
      space = true;
      continue;
    }
    if (space && !out.empty()) out += ' ';
    space = false;
    out += c;
  }
  return out;
}

std::string cut(const std::string& line) {
  if (line.size() <= kMessageLimit) return line;
  size_t end = kMessageLimit;
  // Truncation inside a UTF-8 sequence would make the message invalid.
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0U) == 0x80U) --end;
  return line.substr(0, end) + "...";
}

std::string json_message(std::string_view body) {
  const nlohmann::json page = read_json(body);
  if (!page.is_object()) return {};
  for (const char* key : {"message", "error", "detail", "title"}) {
    const auto found = page.find(key);
    if (found != page.end() && found->is_string()) return found->get<std::string>();
  }
  return {};
}

/// PyPI's message when a pending publisher names another project than the files do.
constexpr std::string_view kOtherPendingName = "Non-user identities cannot create new projects";

std::string token_hint(const Destination& to) {
  if (!to.credentials_advice.empty()) return to.credentials_advice;
  return fmt::format(
      "check the token, and that it has permission to upload to this project; {}, --token-file and "
      "~/.pypirc are read in that order",
      credential_variable("PINWHEEL_TOKEN_", to.target));
}

std::string hint_for(Outcome outcome, int status) {
  switch (outcome) {
    case Outcome::too_large:
      return "make the file smaller (fewer architectures) or ask the index for a higher limit";
    case Outcome::conflict:
      return "a file name is never reused: publish the new file under another version";
    case Outcome::transient:
    case Outcome::unknown:
      return "run the same command again: files that arrived are recognized by their hash";
    default:
      break;
  }
  if (is_redirect(status)) {
    return "uploads do not follow redirects: set the final upload URL as the target's `url` or by "
           "--repository-url";
  }
  if (status == 404 || status == 405) {
    return "check the upload URL: indexes usually have a separate path for uploads, often with a "
           "trailing slash";
  }
  return {};
}

}  // namespace

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::uploaded:
      return "uploaded";
    case Outcome::identical:
      return "identical";
    case Outcome::conflict:
      return "conflict";
    case Outcome::refused:
      return "refused";
    case Outcome::auth:
      return "auth";
    case Outcome::policy:
      return "policy";
    case Outcome::too_large:
      return "too-large";
    case Outcome::transient:
      return "transient";
    case Outcome::unknown:
      return "unknown";
  }
  return "unknown";
}

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

Outcome outcome_of_status(int status) {
  switch (status) {
    case 200:
    case 201:
    case 202:
      return Outcome::uploaded;
    case 400:
    case 409:
      return Outcome::refused;
    case 401:
    case 403:
    case 407:
      return Outcome::auth;
    case 413:
      return Outcome::too_large;
    case 408:
    case 425:
    case 429:
      return Outcome::transient;
    case 499:
      return Outcome::unknown;
    case 501:
    case 505:
      return Outcome::policy;
    default:
      return status >= 500 ? Outcome::unknown : Outcome::policy;
  }
}

Outcome outcome_of_failure(const ports::HttpFailure& failure) {
  return failure.sent == ports::Sent::nothing ? Outcome::transient : Outcome::unknown;
}

std::string header(const ports::HttpResponse& response, std::string_view name) {
  for (const auto& [key, value] : response.headers) {
    if (key == name) return value;
  }
  return {};
}

std::string short_line(std::string_view found, const HiddenText& hidden) {
  // Hide secrets before truncation: a truncated secret would not be recognized.
  return cut(one_line(hidden.mask(found)));
}

std::string server_message(const ports::HttpResponse& response, const HiddenText& hidden) {
  const std::string type = to_lower(header(response, "content-type"));
  if (type.find("json") != std::string::npos) {
    const std::string found = json_message(response.body);
    if (!found.empty()) return short_line(found, hidden);
  }
  if (type.find("text/plain") != std::string::npos && !trim(response.body).empty()) {
    return short_line(response.body, hidden);
  }
  constexpr int kFirstError = 400;
  if (type.find("html") != std::string::npos && response.status >= kFirstError) {
    const std::string found = page_text(response.body);
    if (!found.empty()) return short_line(found, hidden);
  }
  return short_line(response.reason, hidden);
}

std::optional<std::chrono::milliseconds> retry_after(const ports::HttpResponse& response) {
  const std::string value = header(response, "retry-after");
  if (value.empty() || value.size() > 6 ||
      value.find_first_not_of("0123456789") != std::string::npos) {
    return std::nullopt;
  }
  return std::chrono::seconds(std::stoi(value));
}

Error reply_error(Outcome outcome, const ports::HttpResponse& response, std::string_view filename,
                  const Destination& to, const HiddenText& hidden) {
  const std::string found = server_message(response, hidden);
  const std::string location = header(response, "location");
  std::string message = fmt::format("{} was not accepted by {}: HTTP {}", quoted(filename),
                                    quoted_url(to.url), response.status);
  if (!found.empty()) message += fmt::format(" ({})", found);
  if (!location.empty() && is_redirect(response.status)) {
    message += fmt::format(", moved to {}", quoted_url(resolve_url(to.url, location)));
  }
  std::string hint = outcome == Outcome::auth ? token_hint(to) : hint_for(outcome, response.status);
  if (found.find(kOtherPendingName) != std::string::npos) {
    hint =
        "the pending publisher on the index names another project than these files: correct its "
        "project name, or the name of the package";
  }
  return Error{ErrorKind::publish, std::move(message), std::nullopt, std::move(hint), {}};
}

Error conflict_error(std::string_view filename, std::string_view ours, std::string_view theirs) {
  return Error{ErrorKind::publish,
               fmt::format("{} is in the index with different bytes: SHA-256 {} there, {} here",
                           quoted(filename), theirs, ours),
               std::nullopt,
               hint_for(Outcome::conflict, 0),
               {}};
}

}  // namespace pinwheel::publish
