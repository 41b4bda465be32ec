#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "cli/options.h"
#include "host/log/spdlog_log.h"
#include "ports/log.h"

namespace pinwheel::cli {

/// The file name of a command's log, next to the logs of its steps.
inline constexpr const char* kLogName = "pinwheel.log";

/// The diagnostics of one command: its log, without the user's secrets, and the log's destinations.
class Diagnostics {
 public:
  /// Logs nothing.
  Diagnostics() = default;
  /// Logs to stderr with `-v`, and to the file of `--log-file`, or returns why it cannot be
  /// written.
  static Result<std::shared_ptr<Diagnostics>> open(
      const prepare::GlobalOptions& options, const std::map<std::string, std::string>& variables);

  const ports::LogHandle& log() const { return log_; }
  /// Logs to `pinwheel.log` in this directory, which is created if necessary; earlier events as
  /// well.
  Done log_into(const std::filesystem::path& directory);
  /// The file to send: that of `--log-file`, else the one next to the run's logs; empty without
  /// one.
  const std::filesystem::path& file() const { return file_; }
  /// Why lines of the log were lost; empty if none were.
  std::string trouble() const { return output_ ? output_->trouble() : std::string(); }

 private:
  ports::LogHandle log_ = ports::no_log();
  std::shared_ptr<host::SpdlogLog> output_;
  std::filesystem::path file_;
  bool kept_ = false;
};

}  // namespace pinwheel::cli
