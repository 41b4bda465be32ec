#include "host/machine/workplace.h"

namespace pinwheel::host {

std::vector<std::filesystem::path> made_directories(const Workplace& workplace) {
  return {workplace.output, workplace.state, workplace.cache};
}

}  // namespace pinwheel::host
