#include "publish/index_file.h"

#include "pep/wheel_name.h"

namespace pinwheel::publish {

std::optional<pep::Version> version_of_file(std::string_view filename) {
  if (const Result<pep::WheelName> wheel = pep::parse_wheel_name(filename); wheel) {
    return wheel->version;
  }
  const Result<pep::SdistName> sdist = pep::parse_sdist_name(filename);
  return sdist ? std::optional(sdist->version) : std::nullopt;
}

}  // namespace pinwheel::publish
