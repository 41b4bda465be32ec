#pragma once
#include <cstddef>
#include <string>

#include "run/status.h"

namespace pinwheel::report {

/// "~3m10s left, ends ~14:32", in the time zone of this machine; "at least 5.0s left, `build:cpu`
/// is overdue by 2m00s"; empty if nothing was ever measured.
std::string end_text(const run::Progress& progress);

/// "build:cu130, test:cp312-cu130 and 2 more"; empty without a prediction.
std::string path_text(const run::Progress& progress);

/// The finished part of a run, from 0 to 100: of its time if that is predicted, else of its steps.
/// 100 only when every step has ended.
int percent_done(const run::Progress& progress);

/// "[#####---------------] 25%" within so many characters; shorter, or empty, if it does not fit.
std::string progress_bar(int percent, size_t width);

}  // namespace pinwheel::report
