#pragma once
#include <vector>

#include "doctor/doctor.h"

namespace pinwheel::doctor {

/// The lines of `pinwheel doctor` about containers and other architectures. Pure.
std::vector<DoctorLine> engine_lines(const DoctorFacts& facts);  ///< one for each, in their order
DoctorLine gpu_containers_line(const DoctorFacts& facts);
DoctorLine arm64_line(const DoctorFacts& facts);

}  // namespace pinwheel::doctor
