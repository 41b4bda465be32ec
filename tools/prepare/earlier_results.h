#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "plan/predict.h"
#include "plan/reuse.h"
#include "run/history.h"

namespace pinwheel::prepare {

/// Path -> sha256 of the files that decide which results may be reused; missing ones are omitted.
std::map<std::string, std::string> digest_outputs(const plan::Plan& plan,
                                                  const run::History& history);

/// The results of earlier runs that still exist unchanged.
plan::Results find_results(const plan::Plan& plan, const run::History& history);

/// The durations of the steps of earlier runs in a state directory. Empty if its journal cannot be
/// read: the run itself rejects such a journal.
plan::Durations earlier_durations(const std::filesystem::path& state);

}  // namespace pinwheel::prepare
