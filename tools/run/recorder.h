#pragma once
#include "base/result.h"
#include "plan/outcome.h"
#include "run/runner.h"

namespace pinwheel::run {

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
