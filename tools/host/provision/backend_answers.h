#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// The requirements that a backend returned, in `<state>/backends/<question>.json`, so that it is
/// asked once. `question` is a digest of everything that affects the answer.
Done record_answer(const EnvMachine& machine, const std::string& question,
                   const std::vector<std::string>& requires_);

/// The recorded answer; nullopt if there is none, or the record is damaged: it can be asked again.
std::optional<std::vector<std::string>> load_answer(const EnvMachine& machine,
                                                    const std::string& question);

}  // namespace pinwheel::host
