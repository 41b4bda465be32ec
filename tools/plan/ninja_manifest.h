#pragma once
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pinwheel::plan {

// Reading `build.ninja` and the files that it includes (https://ninja-build.org/manual.html, "Ninja
// file reference" and "Evaluation and scoping"). Variables are replaced by their values.

/// What commands read, as far as a `build.ninja` says so. The headers that compilers found are in
/// `.ninja_deps` (plan/ninja_state).
struct NinjaReads {
  std::set<std::string> files = {};      ///< inputs of every kind
  std::set<std::string> libraries = {};  ///< of options `-l`: "z", or ":libz.a" for `-l:libz.a`
  std::vector<std::string> library_directories = {};  ///< of options `-L`, in order

  bool operator==(const NinjaReads&) const = default;
};

/// A `build` statement. Names are as ninja writes them to its log.
struct NinjaStatement {
  std::string rule = {};
  std::vector<std::string> outputs = {};
  std::vector<std::string> inputs = {};  ///< of every kind
};

struct NinjaManifest {
  std::vector<NinjaStatement> statements = {};
  /// The included files, and the options in variables of files, statements, and rules in use.
  NinjaReads always = {};
};

/// The text of the file that ninja opens by a name. Relative names are relative to the directory of
/// `build.ninja`, also in included files.
using ReadNinjaFile = std::function<Result<std::string>(const std::string& name)>;

/// Parses a `build.ninja`; `read` is called for each `include` and `subninja`. Fails with the error
/// of `read`, or with `check` above the limits of base/limits.h, which a file that includes itself
/// exceeds.
Result<NinjaManifest> parse_ninja_manifest(std::string_view text, const ReadNinjaFile& read);

/// The outputs of all statements.
std::set<std::string> ninja_outputs(const NinjaManifest& manifest);

/// What is read by the commands that make any of `outputs` (named as in the log). The files include
/// the inputs of aliases (rule `phony`) and of `build.ninja` itself, which the backend made from
/// them before ninja started. The options are those of all commands.
NinjaReads ninja_reads(const NinjaManifest& manifest, const std::set<std::string>& outputs);

}  // namespace pinwheel::plan
