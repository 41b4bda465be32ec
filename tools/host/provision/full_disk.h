#pragma once
#include <cstdint>

#include "env/classify.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// If a disk is full: the diagnosis with the directory on it and what is free there. It is the
/// directory with the least free space of those that environments are made in: the cache, the state
/// directory and that of temporary files. Any other diagnosis is returned as it is, unless that
/// directory has less than `needed` bytes: the tool then failed for want of space without a word.
env::Diagnosis name_full_disk(const EnvMachine& machine, env::Diagnosis diagnosis,
                              uint64_t needed = 0);

}  // namespace pinwheel::host
