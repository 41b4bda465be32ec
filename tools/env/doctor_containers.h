#pragma once
#include <vector>

#include "env/doctor.h"

namespace pinwheel::env {

/// The lines of `pinwheel doctor` about containers and other architectures. Pure.
std::vector<DoctorLine> engine_lines(const DoctorFacts& facts);  ///< one for each, in their order
DoctorLine gpu_containers_line(const DoctorFacts& facts);
DoctorLine arm64_line(const DoctorFacts& facts);

}  // namespace pinwheel::env
