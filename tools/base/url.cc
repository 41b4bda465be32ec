#include "base/url.h"

#include <fmt/format.h>

#include <cctype>
#include <vector>

#include "base/text.h"

namespace pinwheel {

namespace {

std::optional<int> hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

std::string without_dots(std::string_view path) {
  std::vector<std::string> normalized;
  const std::vector<std::string> parts = split(path, '/');
  for (size_t i = 1; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    if (parts[i] == "." || parts[i] == "..") {
      if (parts[i] == ".." && !normalized.empty()) normalized.pop_back();
      if (last) normalized.emplace_back();
    } else {
      normalized.push_back(parts[i]);
    }
  }
  return "/" + join(normalized, "/");
}

std::string_view without_port(std::string_view host) {
  const size_t colon = host.rfind(':');
  // A colon before the `]` belongs to an IPv6 address.
  const bool has_port = colon != std::string_view::npos && host.find(']', colon) == host.npos;
  return has_port ? host.substr(0, colon) : host;
}

/// Whether the host has no port, or the one that its scheme has anyway.
bool has_usual_port(const UrlParts& url) {
  const std::string_view name = without_port(url.host);
  const std::string_view port = std::string_view(url.host).substr(name.size());
  return port.empty() || port == (url.scheme == "https" ? ":443" : ":80");
}

}  // namespace

bool is_address(std::string_view text) {
  return text.starts_with("https://") || text.starts_with("http://");
}

bool is_loopback(std::string_view host) {
  const std::string_view name = without_port(host);
  if (name == "localhost" || name == "[::1]") return true;
  // A host name may begin like an address: 127.0.0.1.example.
  return name.starts_with("127.") && name.find_first_not_of("0123456789.") == name.npos;
}

std::optional<UrlParts> split_url(std::string_view url) {
  const size_t colon = url.find("://");
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  for (const char c : url.substr(0, colon)) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '+' && c != '-' && c != '.') {
      return std::nullopt;
    }
  }
  const std::string_view rest = url.substr(colon + 3);
  const size_t end = std::min(rest.find_first_of("/?#"), rest.size());
  const std::string_view authority = rest.substr(0, end);
  const size_t at = authority.rfind('@');
  const bool has_user = at != std::string_view::npos;
  return UrlParts{
      to_lower(url.substr(0, colon)), std::string(has_user ? authority.substr(0, at) : ""),
      to_lower(has_user ? authority.substr(at + 1) : authority), std::string(rest.substr(end))};
}

std::optional<std::string> path_of_file_url(std::string_view url) {
  constexpr std::string_view kScheme = "file://";
  if (!url.starts_with(kScheme)) return std::nullopt;
  return decode_percent(url.substr(kScheme.size()));
}

std::string resolve_url(std::string_view base, std::string_view reference) {
  const std::string_view target = reference.substr(0, reference.find('#'));
  if (split_url(target)) return std::string(target);
  const std::optional<UrlParts> from = split_url(base);
  if (!from) return std::string(target);
  if (target.starts_with("//")) return fmt::format("{}:{}", from->scheme, target);
  const std::string origin = fmt::format("{}://{}", from->scheme, from->host);
  const std::string path = from->path.substr(0, from->path.find_first_of("?#"));
  if (target.empty()) return origin + path;
  const size_t query = std::min(target.find('?'), target.size());
  const std::string_view file = target.substr(0, query);
  const std::string_view tail = target.substr(query);
  if (file.empty()) return origin + path + std::string(tail);
  if (file.starts_with('/')) return origin + without_dots(file) + std::string(tail);
  const std::string directory = path.empty() ? "/" : path.substr(0, path.rfind('/') + 1);
  return origin + without_dots(directory + std::string(file)) + std::string(tail);
}

bool same_origin(std::string_view a, std::string_view b) {
  const std::optional<UrlParts> left = split_url(a);
  const std::optional<UrlParts> right = split_url(b);
  return left && right && left->scheme == right->scheme && left->host == right->host;
}

bool same_server(std::string_view from, std::string_view to) {
  if (same_origin(from, to)) return true;
  const std::optional<UrlParts> left = split_url(from);
  const std::optional<UrlParts> right = split_url(to);
  return left && right && left->scheme == "http" && right->scheme == "https" &&
         without_port(left->host) == without_port(right->host) && has_usual_port(*left) &&
         has_usual_port(*right);
}

std::string encode_segment(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    const bool plain = std::isalnum(byte) != 0 || c == '-' || c == '.' || c == '_' || c == '~';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
}

std::string decode_percent(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const std::optional<int> high = i + 2 < text.size() ? hex_value(text[i + 1]) : std::nullopt;
    const std::optional<int> low = i + 2 < text.size() ? hex_value(text[i + 2]) : std::nullopt;
    if (text[i] == '%' && high && low) {
      out += static_cast<char>(*high * 16 + *low);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace pinwheel
