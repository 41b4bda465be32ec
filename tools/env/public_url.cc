#include "env/public_url.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/digest.h"
#include "base/text.h"
#include "base/url.h"
#include "pep/pypi.h"

namespace pinwheel::env {
namespace {

/// "/packages/ab/cd/<60 hex digits>/file" at the end of a path; "" for any other ending.
std::string path_on_pypi(const std::string& path) {
  constexpr std::array<size_t, 3> kDigits = {2, 2, 60};
  const std::vector<std::string> names = split(path, '/');
  if (names.size() < 5 || names.back().empty()) return {};
  const size_t first = names.size() - 5;
  if (names[first] != "packages") return {};
  for (size_t i = 0; i < kDigits.size(); ++i) {
    const std::string& name = names[first + 1 + i];
    if (name.size() != kDigits[i] || !is_hex(name)) return {};
  }
  return "/" + join({names.begin() + static_cast<std::ptrdiff_t>(first), names.end()}, "/");
}

/// "pytorch.org" from "download.pytorch.org:443"; "" for a bare name or an address.
std::string parent_domain(std::string host) {
  host.erase(std::min(host.find(':'), host.size()));
  if (host.find_first_not_of("0123456789.") == std::string::npos) return {};
  const size_t dot = host.find('.');
  if (dot == std::string::npos) return {};
  const std::string parent = host.substr(dot + 1);
  return parent.find('.') == std::string::npos ? std::string() : parent;
}

bool is_named(const std::string& host, const std::vector<std::string>& named) {
  return std::any_of(named.begin(), named.end(), [&host](const std::string& url) {
    const std::optional<UrlParts> parts = split_url(url);
    if (!parts) return false;
    const std::string parent = parent_domain(parts->host);
    return parts->host == host || (!parent.empty() && parent == parent_domain(host));
  });
}

}  // namespace

std::string without_credentials(std::string_view text) {
  std::string result;
  for (size_t colon = text.find("://"); colon != std::string_view::npos; colon = text.find("://")) {
    result += text.substr(0, colon + 3);
    text.remove_prefix(colon + 3);
    const std::string_view authority =
        text.substr(0, std::min(text.find_first_of("/?# \t\"'"), text.size()));
    if (const size_t at = authority.rfind('@'); at != std::string_view::npos) {
      text.remove_prefix(at + 1);
    }
  }
  return result.append(text);
}

std::string public_url(std::string_view url, const std::vector<std::string>& named) {
  const std::optional<UrlParts> parts = split_url(url);
  if (!parts || (parts->scheme != "https" && parts->scheme != "http")) return {};
  const std::string path = parts->path.substr(0, parts->path.find_first_of("?#"));
  const std::string pypi = path_on_pypi(path);
  if (!pypi.empty()) return pep::pypi_files_url() + pypi;
  if (!is_named(parts->host, named)) return {};
  return parts->scheme + "://" + parts->host + path;
}

std::vector<std::string> places_in(const Request& request) {
  std::vector<std::string> texts = request.requirements;
  texts.push_back(request.torch.spec);
  texts.push_back(request.torch.index);
  std::vector<std::string> places;
  for (const std::string& text : texts) {
    for (const std::string& word : split(text, ' ')) {
      if (word.find("://") == std::string::npos) continue;
      // PEP 508 allows a direct reference without blanks: `name@https://...`.
      const size_t at = word.rfind('@', word.find("://"));
      places.push_back(at == std::string::npos ? word : word.substr(at + 1));
    }
  }
  return places;
}

}  // namespace pinwheel::env
