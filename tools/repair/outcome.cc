#include "repair/outcome.h"

#include <map>
#include <utility>

namespace pinwheel::repair {

std::vector<LicenseFile> license_files(const Outcome& outcome) {
  std::map<std::string, std::string> files;
  for (const Component& component : outcome.components) {
    const std::string& member = component.graft.member;
    const std::string directory = member.substr(0, member.rfind('/'));
    for (const LicenseFile& file : component.package.license_files) {
      files.emplace(directory + "/" + component.package.name + "/" + file.name, file.contents);
    }
  }
  std::vector<LicenseFile> out;
  out.reserve(files.size());
  for (auto& [name, contents] : files) out.push_back({name, std::move(contents)});
  return out;
}

}  // namespace pinwheel::repair
