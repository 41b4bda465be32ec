#include "store/aws_profile.h"

#include <algorithm>

#include "base/text.h"

namespace pinwheel::store {
namespace {

/// "profile  NAME" with one blank.
std::string section_name(std::string_view line) {
  std::string name(trim(line.substr(1, line.find(']') - 1)));
  std::replace(name.begin(), name.end(), '\t', ' ');
  const std::string_view kind = "profile ";
  if (name.starts_with(kind)) {
    name = std::string(kind) + std::string(trim(std::string_view(name).substr(kind.size())));
  }
  return name;
}

bool is_section_of(const std::string& section, AwsFile file, std::string_view name) {
  if (file == AwsFile::credentials) return section == name;
  return section == "profile " + std::string(name) || (name == "default" && section == name);
}

}  // namespace

AwsProfile parse_aws_profile(std::string_view text, AwsFile file, std::string_view name) {
  AwsProfile profile;
  bool here = false;
  std::string block;
  for (const std::string& raw : split(text, '\n')) {
    const std::string_view line = trim(raw);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[') {
      here = is_section_of(section_name(line), file, name);
      block.clear();
      continue;
    }
    const size_t equals = line.find('=');
    if (!here || equals == std::string_view::npos) continue;
    const std::string key = to_lower(trim(line.substr(0, equals)));
    const std::string value(trim(line.substr(equals + 1)));
    const bool nested = raw.front() == ' ' || raw.front() == '\t';
    if (!nested) block = value.empty() ? key + "." : std::string();
    if (nested || !value.empty()) profile[nested ? block + key : key] = value;
  }
  return profile;
}

}  // namespace pinwheel::store
