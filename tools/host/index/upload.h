#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
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

/// How an upload that the index accepted is confirmed: a login page answers 200, too.
enum class Confirm {
  by_hash,  ///< the index lists the file with its hash
  none,     ///< the index has no pages
};

/// How many files are sent at the same time: a number from 1 to `kMostUploads`.
inline constexpr const char* kUploadsVariable = "PINWHEEL_UPLOADS";
inline constexpr size_t kMostUploads = 16;

/// How many files an upload sends to the index at the same time: as the variable says, else 4, and
/// 2 for PyPI and TestPyPI, which answer 502 if there are many. `usage` for a malformed variable.
Result<size_t> uploads_at_once(const std::map<std::string, std::string>& variables,
                               const publish::Endpoint& index);

struct UploadOptions {
  /// Maximum bytes per file; default: the limit of the index, see `publish::PreflightRules`.
  std::optional<uint64_t> size_limit = std::nullopt;
  int attempts = 5;  ///< per file, and per lookup
  Confirm confirm = Confirm::by_hash;
  size_t at_once = 1;         ///< files that are sent at the same time
  uint64_t build_number = 0;  ///< of a re-cut, whose version the index must have; 0: it is none
  /// Reads the page of a project until it lists the accepted files; caches may return an older one.
  int looks = 8;
  std::chrono::milliseconds backoff_min = std::chrono::seconds(2);
  std::chrono::milliseconds backoff_max = std::chrono::minutes(1);
};

/// The result for one file. `outcome` is `uploaded` or `identical`.
struct FileOutcome {
  std::string filename;
  std::string sha256;
  publish::Outcome outcome = publish::Outcome::uploaded;
  int attempts = 0;          ///< times the file was sent; 0 if the index had it already
  std::string message = {};  ///< warnings of the index
};

/// The attestations of each of several files.
using FileAttestations = std::vector<std::vector<publish::Attestation>>;

/// Callbacks for the upload, never two at the same time except `sleep`; files that are sent at the
/// same time call them from threads of their own. All may be empty except `sleep`.
struct UploadHooks {
  /// Waits; returns false if the wait was cut short because the run was stopped.
  std::function<bool(std::chrono::milliseconds)> sleep;
  /// A number in [0, 1) that randomizes the waits of many clients; without it the waits are fixed.
  std::function<double()> jitter = {};
  /// Called before each attempt to send a file, and when the index lists it. A caller that records
  /// the events knows the progress of a killed upload.
  std::function<void(const publish::UploadEvent& event)> event = {};
  /// The current time, to reject releases that PyPI considers too old, and to renew credentials
  /// before they expire; without it neither is done.
  std::function<std::chrono::system_clock::time_point()> now = {};
  /// Called with a message for the user: the retried request and the reason.
  std::function<void(std::string_view line)> notice = {};
  /// Attests files: the attestations of each of them, in order. Called before anything is sent,
  /// with the files to send whose publication is not attested yet; a transient error is retried.
  /// Without it, they are sent as they are.
  std::function<Result<FileAttestations>(const std::vector<publish::Artifact>& files)> attest = {};
  /// Called before anything is sent with warnings that do not stop the upload, such as a wheel for
  /// fewer systems than the last release.
  std::function<void(const Error& warning)> warn = {};
};

/// Publishes the files of one or more projects, one release of each:
/// 1. the preflight of all files; its findings are reported together (kind `check`, as causes; see
///    `publish/preflight.h`);
/// 2. tokens are exchanged where the target needs them; they are renewed before they expire, and
///    once for a file if the index rejects them; they are revoked when the upload ends, in success
///    or not, and replaced ones when no file is being sent with them any more
///    (`host/index/upload_credentials`);
/// 3. each project's page is read: a file that the index has with the same SHA-256 is done
///    (`identical`), files with different bytes are conflicts, reported together (kind
///    `publish`), and nothing is sent; on PyPI, so are files of a release that is closed, and so is
///    a re-cut of a version that the index does not have;
/// 4. files that will be sent are attested, if the upload attests (`UploadHooks::attest`);
/// 5. the wheels, project by project, then the sdists. Files of one project and kind are sent at
///    the same time, up to `UploadOptions::at_once`, but the first file of a project that the index
///    does not have yet is sent alone, because it creates the project. A busy server is retried
///    with exponential backoff (honoring `Retry-After`), and gets one file at a time from then on;
///    after an inconclusive response, or none, or a 400 or 409, the file is looked up by hash
///    before it is sent again;
/// 6. accepted files are looked up by hash, those that are not listed yet again after all were
///    sent, with growing waits; files that stay unlisted are one error (kind `publish`).
/// Sends no file, and none again, after one that cannot be published, whose error is the result
/// even if others that are being sent fail, too; earlier results were reported to `event`,
/// and `http` must allow requests of several threads. Each
/// file is hashed while it is sent, from its open `contents`; one that changed since it was read is
/// never sent completely (`check`). Errors: `check`, `publish` (rejected, wrong token, conflict,
/// outcome unknown, no answer after all attempts), `environment`, `interrupted`, and those of the
/// token exchange. No error contains the credentials, even if the index echoes them.
Result<std::vector<FileOutcome>> upload_release(const std::vector<publish::Artifact>& files,
                                                const UploadTarget& target,
                                                const UploadOptions& options, ports::Http& http,
                                                const UploadHooks& hooks);

}  // namespace pinwheel::host
