#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/index/upload_target.h"
#include "ports/http.h"
#include "publish/artifact.h"
#include "publish/reply.h"
#include "publish/upload_event.h"

namespace pinwheel::host {

struct UploadOptions {
  /// Bytes for one file; without it the default of the index, see `publish::PreflightRules`.
  std::optional<uint64_t> size_limit = std::nullopt;
  int attempts = 5;  ///< per file, and per look-up
  std::chrono::milliseconds backoff_min = std::chrono::seconds(2);
  std::chrono::milliseconds backoff_max = std::chrono::minutes(1);
};

/// What became of one file. `outcome` is `uploaded` or `identical`.
struct FileOutcome {
  std::string filename;
  std::string sha256;
  publish::Outcome outcome = publish::Outcome::uploaded;
  int attempts = 0;          ///< times the file was sent; 0 when the index held it already
  std::string message = {};  ///< warnings of the index
};

/// What the upload needs from its caller, and tells it. All members may be empty except `sleep`.
struct UploadHooks {
  /// Waits; false when the wait was cut short because the run was stopped.
  std::function<bool(std::chrono::milliseconds)> sleep;
  /// A number in [0, 1) that spreads the waits of many clients; without it the waits are fixed.
  std::function<double()> jitter = {};
  /// Before each sending of a file, and when the index has it: what a killed upload leaves behind
  /// to be read, if the caller keeps it.
  std::function<void(const publish::UploadEvent& event)> event = {};
  /// The time by which PyPI's releases are judged too old; without it their age is not looked at.
  std::function<std::chrono::system_clock::time_point()> now = {};
  /// A line for people: what is retried and why.
  std::function<void(std::string_view line)> notice = {};
};

/// Publishes the files of one project or of several, each of which is one release:
/// 1. all findings of the preflight of all files together (kind `check`, findings as causes; see
///    `publish/preflight.h`);
/// 2. credentials that are minted late are minted, once;
/// 3. each project's page is read: a file that the index holds with the same SHA-256 is done
///    (`identical`), files that it holds with other bytes are conflicts, reported together (kind
///    `publish`), nothing sent; on PyPI likewise files that come too late for their release;
/// 4. project by project, wheels, then the sdist, one after another. A busy server is asked again
///    with exponential backoff (`Retry-After` is obeyed); after a reply or a silence that leaves
///    the outcome open, or a 400 or 409, the file is looked up by hash before it is sent again.
/// The first file that cannot be published ends it; what was done before was told to `event`.
/// Errors: `check`, `publish` (refused, wrong token, conflict, outcome unknown), `transient` (never
/// reached), `environment`, `interrupted`, and those of the minting. No error holds the
/// credentials, even if the index echoes them.
Result<std::vector<FileOutcome>> upload_release(const std::vector<publish::Artifact>& files,
                                                const UploadTarget& target,
                                                const UploadOptions& options, ports::Http& http,
                                                const UploadHooks& hooks);

}  // namespace pinwheel::host
