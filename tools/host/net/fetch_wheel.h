#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "base/result.h"
#include "host/system/unnamed_file.h"
#include "ports/http.h"

namespace pinwheel::host {

/// A wheel that was fetched whole; nothing of it outlives this object, or the process.
struct FetchedWheel {
  std::string name;            ///< of the file, "demo-1.0-py3-none-any.whl"
  std::filesystem::path path;  ///< under which this process opens it
  UnnamedFile file;
};

struct FetchOptions {
  std::filesystem::path directory;  ///< where the file lies; it must exist
  /// Told how many bytes have come so far, often, on this thread; empty where nobody asks.
  std::function<void(uint64_t bytes)> on_bytes = {};
};

/// The wheel at an address, which may carry credentials, and `#sha256=HEX` that the file must have.
/// All of it comes: every member's hash is verified, so parts would not do. Errors: `usage` for an
/// address that is no wheel's, or http to another machine; `config` when the server has none,
/// `transient` or `environment` when no whole answer comes, `check` for another hash.
Result<FetchedWheel> fetch_wheel(ports::Http& http, const std::string& address,
                                 const FetchOptions& options);

}  // namespace pinwheel::host
