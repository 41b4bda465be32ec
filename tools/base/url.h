#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace pinwheel {

/// The parts of an absolute URL (RFC 3986).
struct UrlParts {
  std::string scheme;    ///< lower case
  std::string userinfo;  ///< before the `@`; empty when there is none
  std::string host;      ///< lower case, with the port if there is one
  std::string path;      ///< from the first `/`, query and fragment included
};

/// Whether a command-line argument is a URL rather than a path: it begins with http:// or https://.
bool is_address(std::string_view text);
/// Whether a host, with or without a port, is a loopback address: nobody can tamper with that
/// traffic.
bool is_loopback(std::string_view host);

/// nullopt for a relative reference.
std::optional<UrlParts> split_url(std::string_view url);

/// The path of a `file://` URL without a host, decoded; nullopt for any other text.
std::optional<std::string> path_of_file_url(std::string_view url);

/// Resolves `reference`, found in a page at `base`, to an absolute URL without its fragment (RFC
/// 3986, 5.2).
std::string resolve_url(std::string_view base, std::string_view reference);

/// Whether two URLs have the same scheme, host and port: credentials are sent to the same origin
/// only.
bool same_origin(std::string_view a, std::string_view b);

/// Whether a redirect from one URL to the other stays with the same server: the same origin, or the
/// same host name by https instead of http, both on their usual ports: who listens on another port
/// of a machine is not known. Never from https to http.
bool same_server(std::string_view from, std::string_view to);

/// A path segment with everything but unreserved characters percent-encoded (`+` as `%2B`).
std::string encode_segment(std::string_view text);
std::string decode_percent(std::string_view text);

}  // namespace pinwheel
