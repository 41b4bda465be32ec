#pragma once
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "ports/log.h"

namespace spdlog {
class logger;
}

namespace pinwheel::host {

enum class LogText { plain, json };

/// "process_ended process=3 elapsed_ms=12 ending=exit code=0": a list in parentheses, quoted for a
/// shell, on one line.
std::string plain_text(const ports::LogEvent& event);

/// A log by spdlog. Lines start with the time (UTC) and the level; as JSON, each is an object with
/// `time`, `level`, `event` and the event's fields. Every line is flushed, so that a killed process
/// leaves a complete log.
class SpdlogLog final : public ports::Log {
 public:
  explicit SpdlogLog(LogText text);
  ~SpdlogLog() override;

  /// Writes events of this level and above to stderr.
  void to_stderr(ports::LogLevel least);
  /// Appends every event to a file, including earlier ones. An error explains why it cannot be
  /// written.
  Done to_file(const std::filesystem::path& path);
  /// Stops storing events for files that are added later.
  void forget_earlier();
  /// Why lines were lost, such as a full disk; empty if none were.
  std::string trouble() const;

  void write(const ports::LogEvent& event) override;
  void hide(const Secret& /*secret*/) override {}

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pinwheel::host
