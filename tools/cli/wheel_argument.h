#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/streams.h"
#include "host/net/fetch_text.h"
#include "host/wheels/inspect_path.h"
#include "pep/specifier.h"
#include "prepare/host.h"

namespace pinwheel::cli {

/// A file from the command line, given by its path, or downloaded from a URL or an index.
struct FileArgument {
  host::InputFile input;
  std::optional<host::FetchedWheel> fetched = std::nullopt;  ///< the file behind `input`
};

/// Downloads a URL, or for `NAME==VERSION` the wheel that `publish::choose_wheel` chooses on the
/// indexes of pip's configuration, with a message. Errors are those of `host::fetch_wheel` and
/// `host::find_on_indexes`.
Result<FileArgument> open_argument(const prepare::Host& host, const std::string& text,
                                   Streams& streams);

/// Parses an option such as "torch>=2.10" or ">=2.10"; `usage` errors name the option.
Result<pep::SpecifierSet> parse_torch_range(const std::string& option, const std::string& text);

}  // namespace pinwheel::cli
