#include "host/machine_name.h"

#include <sys/utsname.h>

namespace pinwheel::host {

std::string machine_name() {
  utsname name{};
  return ::uname(&name) == 0 ? std::string(static_cast<const char*>(name.machine)) : "x86_64";
}

}  // namespace pinwheel::host
