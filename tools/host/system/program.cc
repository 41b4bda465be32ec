#include "host/system/program.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

namespace pinwheel::host {
namespace {

bool is_program(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

Result<std::string> find_program(const std::string& name,
                                 const std::map<std::string, std::string>& environment) {
  if (name.find('/') != std::string::npos) return name;
  const auto path = environment.find("PATH");
  if (path != environment.end()) {
    for (const std::string& directory : split(path->second, ':')) {
      const std::string candidate = fmt::format("{}/{}", directory, name);
      if (!directory.empty() && is_program(candidate)) return candidate;
    }
  }
  return fail(ErrorKind::environment, fmt::format("program {} is not on the PATH", quoted(name)),
              fmt::format("install {}, or put its directory on the PATH", quoted(name)));
}

}  // namespace pinwheel::host
