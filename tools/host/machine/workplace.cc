#include "host/machine/workplace.h"

namespace pinwheel::host {

ports::NotSource not_source(const Workplace& workplace) {
  return {{workplace.output, workplace.state, workplace.cache}, workplace.named};
}

}  // namespace pinwheel::host
