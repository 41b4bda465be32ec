#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/streams.h"
#include "host/net/fetch_wheel.h"
#include "host/steps/inspect_path.h"

namespace pinwheel::cli {

/// A file that a command line names, by its path or by an address from which it was fetched.
struct FileArgument {
  host::InputFile input;
  std::optional<host::FetchedWheel> fetched = std::nullopt;  ///< what `input` lies in
};

/// Fetches what is named by an address, and tells so. Errors are those of `host::fetch_wheel`.
Result<FileArgument> open_argument(const std::string& text, Streams& streams);

}  // namespace pinwheel::cli
