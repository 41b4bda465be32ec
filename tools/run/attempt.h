#pragma once
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/outcome.h"
#include "plan/step.h"
#include "plan/trace_context.h"
#include "run/attempt_meter.h"
#include "run/checkpoints.h"

namespace pinwheel::run {

/// The input of one attempt of a step that is not in its key. The result: `run/executor`.
struct Attempt {
  const plan::Step* step = nullptr;
  std::string key = {};           ///< of the result
  int number = 1;                 ///< from 1
  int cores = 1;                  ///< MAX_JOBS
  std::filesystem::path scratch;  ///< fresh and empty
  std::filesystem::path log;
  std::vector<plan::StepOutcome> needs;      ///< outcomes of the steps it needs, in `needs` order
  std::shared_ptr<AttemptMeter> meter = {};  ///< null: not measured
  plan::PassedTrace trace = {};              ///< of its processes; may be empty
  /// When the time of the run ends; none: never.
  std::optional<std::chrono::steady_clock::time_point> until = {};
  std::shared_ptr<Checkpoints> checkpoints = {};  ///< null: none are saved
};

/// The result of a successful attempt.
struct Success {
  std::vector<plan::Output> outputs = {};
  std::vector<store::DerivedFile> derivations = {};  ///< among the outputs
  plan::Evidence evidence = plan::Evidence::none;
  std::optional<std::string> skipped =
      std::nullopt;                        ///< the reason; the step then counts as skipped
  std::vector<std::string> warnings = {};  ///< for people who use the result
  /// The part of its time that installed packages.
  std::chrono::milliseconds installing{0};
  /// The time that earlier attempts spent on the checkpoint from which it continued.
  std::chrono::milliseconds earlier{0};
};

/// Records an execution, so that a later one can resume. A record that cannot be written fails its
/// step: unrecorded work would be done twice.
class Recorder {
 public:
  Recorder() = default;
  virtual ~Recorder() = default;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Called before the attempt starts; durable when it returns.
  virtual Done started(const Attempt& attempt) = 0;
  /// Called once for each step that was started; durable when it returns.
  virtual Done finished(const plan::StepOutcome& outcome) = 0;
};

}  // namespace pinwheel::run
