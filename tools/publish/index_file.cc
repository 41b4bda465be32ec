#include "publish/index_file.h"

namespace pinwheel::publish {

std::optional<pep::Version> version_of_file(std::string_view filename) {
  if (const Result<pep::WheelName> wheel = pep::parse_wheel_name(filename); wheel) {
    return wheel->version;
  }
  const Result<pep::SdistName> sdist = pep::parse_sdist_name(filename);
  return sdist ? std::optional(sdist->version) : std::nullopt;
}

std::optional<pep::BuildTag> build_of_file(std::string_view filename) {
  const Result<pep::WheelName> wheel = pep::parse_wheel_name(filename);
  return wheel ? wheel->build : std::nullopt;
}

}  // namespace pinwheel::publish
