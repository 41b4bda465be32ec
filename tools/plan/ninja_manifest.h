#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::plan {

// Reading `build.ninja` (https://ninja-build.org/manual.html, "Ninja file reference"). Files that
// it includes are not read.

/// The outputs that a `build.ninja` declares, without ninja's escapes. Those with a variable in
/// their names are not included: CMake repeats outputs in that form.
std::set<std::string> ninja_outputs(std::string_view manifest);

/// What commands read, as far as a `build.ninja` says so. The headers that compilers found are in
/// `.ninja_deps` (plan/ninja_state).
struct NinjaReads {
  std::set<std::string> files = {};      ///< inputs of every kind
  std::set<std::string> libraries = {};  ///< of options `-l`: "z", or ":libz.a" for `-l:libz.a`
  std::vector<std::string> library_directories = {};  ///< of options `-L`, in order

  bool operator==(const NinjaReads&) const = default;
};

/// The files that are read by the commands that make any of `outputs` (named as in the log), as
/// ninja names them. They include the inputs of aliases (rule `phony`) and of `build.ninja` itself,
/// which the backend made from them before ninja started. Variables of the file are replaced by
/// their values. The options are those in the whole file.
NinjaReads ninja_reads(std::string_view manifest, const std::set<std::string>& outputs);

}  // namespace pinwheel::plan
