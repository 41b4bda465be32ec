#pragma once
#include "env/doctor.h"

namespace pinwheel::env {

/// The lines of `pinwheel doctor` about containers and other processors. Pure.
DoctorLine docker_line(const DoctorFacts& facts);
DoctorLine podman_line(const DoctorFacts& facts);
DoctorLine gpu_containers_line(const DoctorFacts& facts);
DoctorLine arm64_line(const DoctorFacts& facts);

}  // namespace pinwheel::env
