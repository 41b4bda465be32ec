#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/streams.h"
#include "host/net/fetch_text.h"
#include "host/net/remote_file.h"
#include "host/wheels/inspect_path.h"
#include "pep/specifier.h"
#include "prepare/host.h"

namespace pinwheel::cli {

/// A wheel on a server that is read in parts.
struct RemoteWheel {
  std::shared_ptr<ports::Http> http;
  std::unique_ptr<host::RemoteFile> file;
  std::string name;
  std::string sha256;  ///< that its index states; empty: none
};

/// A file from the command line, given by its path, or on a server.
struct FileArgument {
  host::InputFile input = {};  ///< without a path for a wheel that is read in parts
  std::optional<host::FetchedWheel> fetched = std::nullopt;  ///< the file behind `input`
  std::unique_ptr<RemoteWheel> remote = nullptr;             ///< instead of `input`
};

/// How much of a wheel on a server a command needs.
enum class WheelPart { examined, whole };

/// How to open the files of a command line.
struct OpenManner {
  WheelPart part = WheelPart::whole;
  std::string index = {};  ///< of `--index`; empty: those of pip's configuration
};

/// Opens a URL, or for `NAME==VERSION` the wheel that `publish::choose_wheel` chooses on the
/// index, with a message. A URL with a digest is downloaded completely. Errors are those of
/// `host::fetch_wheel`, `host::RemoteFile` and `host::find_on_indexes`.
Result<FileArgument> open_argument(const prepare::Host& host, const std::string& text,
                                   const OpenManner& manner, Streams& streams);

/// What it contains: of a path, as `host::inspect_path`, else as `host::inspect_remote`, with a
/// message about the bytes that were fetched.
Result<inspect::WheelFacts> facts_of(const FileArgument& argument,
                                     const inspect::GatherOptions& options, Streams& streams);

/// `usage` if `--index` is given and none of the files is `NAME==VERSION`.
Done check_index_option(const std::string& index, const std::vector<std::string>& files);

/// Parses an option such as "torch>=2.10" or ">=2.10"; `usage` errors name the option.
Result<pep::SpecifierSet> parse_torch_range(const std::string& option, const std::string& text);

}  // namespace pinwheel::cli
