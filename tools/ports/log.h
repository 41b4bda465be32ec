#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/secret.h"

namespace pinwheel::ports {

/// The verbosity that prints an event on the terminal: `info` with `-v`, `debug` with `-vv`. A log
/// file has all events.
enum class LogLevel { info, debug };

using LogValue = std::variant<std::string, int64_t, std::vector<std::string>>;

struct LogField {
  std::string name;  ///< lower case, "elapsed_ms": a unit is part of the name
  LogValue value;

  bool operator==(const LogField&) const = default;
};

/// Something that happened or was decided, as data. The name is lower case, "process_started".
struct LogEvent {
  LogLevel level = LogLevel::info;
  std::string name;
  std::vector<LogField> fields = {};

  bool operator==(const LogEvent&) const = default;
};

/// The diagnostics of a command. Thread-safe, and never an error: a command does not fail because
/// it cannot be logged.
class Log {
 public:
  Log() = default;
  virtual ~Log() = default;
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  virtual void write(const LogEvent& event) = 0;
  /// Hides the secret in every event from now on.
  virtual void hide(const Secret& secret) = 0;
};

/// Shared by everything that logs.
using LogHandle = std::shared_ptr<Log>;

class NoLog final : public Log {
 public:
  void write(const LogEvent& /*event*/) override {}
  void hide(const Secret& /*secret*/) override {}
};

inline LogHandle no_log() {
  return std::make_shared<NoLog>();
}

}  // namespace pinwheel::ports
