#pragma once
#include <string>
#include <vector>

#include "repair/repair_plan.h"
#include "unit/catch.h"

namespace pinwheel::repair {

inline inspect::ElfMember member(const std::string& name, std::vector<std::string> needed,
                                 std::vector<binary::VersionNeed> versions = {}) {
  inspect::ElfMember out;
  out.name = name;
  out.elf.machine = 62;
  out.elf.type = 3;
  out.elf.needed = std::move(needed);
  out.elf.version_needs = std::move(versions);
  return out;
}

/// A wheel `demo` with these libraries; `requires_dist` are lines of METADATA.
inline inspect::WheelFacts demo_wheel(std::vector<inspect::ElfMember> libraries,
                                      const std::string& requires_dist = "",
                                      const std::string& platform = "linux_x86_64") {
  inspect::WheelFacts facts;
  facts.file_name = "demo-1.0-cp311-cp311-" + platform + ".whl";
  facts.name = *pep::parse_wheel_name(facts.file_name);
  facts.dist_info = "demo-1.0.dist-info";
  std::string text = "Metadata-Version: 2.4\nName: demo\nVersion: 1.0\n";
  if (!requires_dist.empty()) text += "Requires-Dist: " + requires_dist + "\n";
  facts.metadata = *wheel::parse_metadata(text);
  facts.libraries = std::move(libraries);
  return facts;
}

/// A library of the system whose digest begins with `digest`.
inline Library system_library(const std::string& soname, const std::string& digest,
                              std::vector<std::string> needed = {"libc.so.6"}) {
  Library out{"/usr/lib/" + soname + ".3.0", digest + std::string(64 - digest.size(), '0'),
              member("", std::move(needed)).elf};
  out.elf.soname = soname;
  return out;
}

inline std::vector<std::string> messages_of(const std::vector<Error>& errors) {
  std::vector<std::string> out;
  for (const Error& error : errors) out.push_back(error.message);
  return out;
}

using Texts = std::vector<std::string>;

}  // namespace pinwheel::repair
