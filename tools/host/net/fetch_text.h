#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "host/net/get_remote.h"
#include "host/system/pending_file.h"
#include "ports/byte_source.h"
#include "ports/http.h"

namespace pinwheel::host {

/// The text at a URL; a few redirects are followed, never from https to http. `config`, with the
/// status, if the server does not have it, `transient` or `environment` if the server does not
/// respond, `check` for more than `limits::kReport`.
Result<std::string> fetch_text(ports::Http& http, const std::string& url);

/// The address of a wheel.
struct WheelAddress {
  RemoteAddress remote;     ///< without a fragment
  std::string name;         ///< file name
  std::string sha256 = {};  ///< lower case; empty: none given
};
/// From a URL, which may contain credentials and `#sha256=HEX`. `usage` for a URL that is not that
/// of a wheel, or http to another machine.
Result<WheelAddress> parse_wheel_address(const std::string& text);

/// How to read the file at an address: with the credentials in its URL, else with those of the
/// index that lists it, for the index's own server.
RemoteAccess access_to(ports::Http& http, const WheelAddress& address,
                       const std::optional<RemoteAddress>& index);

/// `check` if the file has another digest, hexadecimal.
Done check_digest(const ports::ByteSource& file, std::string_view url, std::string_view sha256);

/// A wheel that was downloaded completely; it is deleted with this object, or when the process
/// ends.
struct FetchedWheel {
  std::string name;            ///< file name, "demo-1.0-py3-none-any.whl"
  std::filesystem::path path;  ///< path by which this process can open it
  UnnamedFile file;
};

struct FetchOptions {
  std::filesystem::path directory;  ///< directory of the file; it must exist
  /// Called often with the number of bytes received so far, on this thread; may be empty.
  std::function<void(uint64_t bytes)> on_bytes = {};
  std::optional<RemoteAddress> index = std::nullopt;  ///< the index that lists the file
};

/// The whole wheel at an address, whose digest it must have. Errors: `config` if the server does
/// not have it, `transient` or `environment` if there is no complete response, `check` for a
/// different digest.
Result<FetchedWheel> fetch_wheel(ports::Http& http, const WheelAddress& address,
                                 const FetchOptions& options);

}  // namespace pinwheel::host
