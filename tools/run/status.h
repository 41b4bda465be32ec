#pragma once
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "plan/outcome.h"
#include "plan/step.h"
#include "run/outlook.h"

namespace pinwheel::run {

struct Running {
  std::string id;
  int attempt = 1;
  int cores = 1;
  std::chrono::milliseconds elapsed{0};  ///< of this attempt
  std::string log = {};                  ///< path of this attempt's log
  std::chrono::milliseconds earlier{0};  ///< how long an earlier run of the step took; 0 without
};

struct Waiting {
  std::string id;
  std::chrono::milliseconds left{0};  ///< until the next attempt
};

/// A step that has not started.
struct Pending {
  std::string id;
  std::vector<std::string> needs;  ///< that have not ended; empty: it waits for cores or memory
};

struct Progress {
  size_t total = 0;
  size_t finished = 0;  ///< steps with an outcome, including reused ones
  size_t failed = 0;
  std::chrono::milliseconds elapsed{0};  ///< since the execution began
  std::vector<Running> running = {};     ///< oldest first
  std::vector<Waiting> retrying = {};
  std::vector<Pending> pending = {};  ///< the first few of those that wait, in plan order
  size_t pending_total = 0;
  std::chrono::system_clock::time_point now = {};  ///< wall time
  /// The predicted rest; nullopt: nothing about it was ever measured.
  std::optional<Outlook> outlook = {};
};

/// Receives the progress of an execution. Called only from the executor's thread.
class StatusSink {
 public:
  StatusSink() = default;
  virtual ~StatusSink() = default;
  StatusSink(const StatusSink&) = delete;
  StatusSink& operator=(const StatusSink&) = delete;

  virtual void plan_started(const plan::Plan& plan, size_t reused) = 0;
  virtual void step_started(const plan::Step& step, int attempt, int cores) = 0;
  virtual void step_retry(const plan::Step& step, const Error& error,
                          std::chrono::milliseconds delay) = 0;
  /// Once per step, including reused and blocked ones.
  virtual void step_finished(const plan::StepOutcome& outcome) = 0;
  /// At least once a second while something runs or waits.
  virtual void heartbeat(const Progress& progress) = 0;
  virtual void summary(const plan::Report& report) = 0;
};

}  // namespace pinwheel::run
