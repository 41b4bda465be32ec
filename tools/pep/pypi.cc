#include "pep/pypi.h"

#include <fmt/format.h>

namespace pinwheel::pep {

std::string simple_url(std::string_view host) {
  return fmt::format("https://{}/simple/", host);
}

std::string pypi_files_url() {
  return fmt::format("https://files.{}", kPypiFilesDomain);
}

}  // namespace pinwheel::pep
