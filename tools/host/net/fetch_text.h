#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "base/result.h"
#include "host/system/pending_file.h"
#include "ports/http.h"

namespace pinwheel::host {

/// The text at a URL; a few redirects are followed, never from https to http. `config`, with the
/// status, if the server does not have it, `transient` or `environment` if the server does not
/// respond, `check` for more than `limits::kReport`.
Result<std::string> fetch_text(ports::Http& http, const std::string& url);

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
};

/// The wheel at a URL, which may contain credentials, and `#sha256=HEX`, which the file must match.
/// The whole file is downloaded, because every member's hash is verified. Errors: `usage` for a URL
/// that is not that of a wheel, or http to another machine; `config` if the server does not have
/// it, `transient` or `environment` if there is no complete response, `check` for a different hash.
Result<FetchedWheel> fetch_wheel(ports::Http& http, const std::string& address,
                                 const FetchOptions& options);

}  // namespace pinwheel::host
