#pragma once
#include <string>
#include <vector>

#include "inspect/rules.h"
#include "unit/catch.h"

namespace pinwheel::inspect {

inline ElfMember library(const std::string& name, std::vector<std::string> needed = {"libc.so.6"},
                         std::vector<binary::VersionNeed> versions = {}) {
  ElfMember out;
  out.name = name;
  out.elf.machine = 62;
  out.elf.type = 3;
  out.elf.relro = binary::Relro::full;
  out.elf.needed = std::move(needed);
  out.elf.version_needs = std::move(versions);
  return out;
}

/// A wheel without binaries that keeps every rule.
inline WheelFacts pure_facts(const std::string& tags = "py3-none-any") {
  WheelFacts facts;
  facts.file_name = "demo_kit-1.0-" + tags + ".whl";
  facts.file_size = 1000;
  facts.name = *pep::parse_wheel_name(facts.file_name);
  facts.dist_info = "demo_kit-1.0.dist-info";
  facts.metadata = *wheel::parse_metadata(
      "Metadata-Version: 2.4\nName: demo-kit\nVersion: 1.0\n"
      "Requires-Python: >=3.10\nRequires-Dist: torch>=2.10\n");
  std::string lines;
  for (const pep::Tag& tag : pep::expand(facts.name->tags)) {
    lines += "Tag: " + pep::to_string(tag) + "\n";
  }
  const std::string root = tags.ends_with("any") ? "true" : "false";
  facts.wheel_file =
      *wheel::parse_wheel_file("Wheel-Version: 1.0\nRoot-Is-Purelib: " + root + "\n" + lines);
  facts.members = {{"demo/__init__.py", 10, 8, 7, 0100644, "digest"},
                   {"demo_kit-1.0.dist-info/RECORD", 100, 50, 1, 0100644, "self"}};
  facts.record = std::vector<wheel::RecordRow>{{"demo/__init__.py", "sha256", "digest", 10},
                                               {"demo_kit-1.0.dist-info/RECORD"}};
  return facts;
}

/// The same with one library that needs glibc 2.28.
inline WheelFacts native_facts(const std::string& tags = "py3-none-manylinux_2_28_x86_64") {
  WheelFacts facts = pure_facts(tags);
  facts.libraries = {library("demo/_C.so", {"libc.so.6"}, {{"libc.so.6", {"GLIBC_2.28"}}})};
  return facts;
}

inline std::vector<Finding> findings_of(const WheelFacts& facts, const Expectations& expected = {},
                                        const std::vector<std::string>& rules = rule_ids()) {
  const Result<std::vector<Finding>> found = check(facts, expected, rules);
  REQUIRE(found);
  return *found;
}

/// The findings as texts, without hints.
inline std::vector<std::string> finding_texts(const WheelFacts& facts,
                                              const Expectations& expected = {}) {
  std::vector<std::string> out;
  for (const Finding& finding : findings_of(facts, expected)) {
    out.push_back(to_error(finding).message);
  }
  return out;
}

using Texts = std::vector<std::string>;

}  // namespace pinwheel::inspect
