#pragma once
#include "doctor/doctor.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// Inspects this machine. Never fails: anything that does not respond counts as missing.
doctor::DoctorFacts gather_doctor_facts(const EnvMachine& machine);

}  // namespace pinwheel::host
