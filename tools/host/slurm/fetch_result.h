#pragma once
#include <filesystem>
#include <stop_token>

#include "base/result.h"
#include "host/store/store.h"
#include "plan/outcome.h"
#include "run/attempt.h"

namespace pinwheel::host {

/// Fetches the files of a step that succeeded in a job from the store into `output`. `transient` if
/// no place has one of the files, `environment` if a file cannot be written, `interrupted` after a
/// stop.
Result<run::Success> fetch_result(const plan::StepOutcome& outcome, Store& store,
                                  const std::filesystem::path& output, const std::stop_token& stop);

}  // namespace pinwheel::host
