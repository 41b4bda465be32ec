#pragma once
#include "env/doctor.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// Looks at this machine. Never fails: what does not answer is not there.
env::DoctorFacts gather_doctor_facts(const EnvMachine& machine);

}  // namespace pinwheel::host
