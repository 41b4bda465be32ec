#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "host/git/build_leftovers.h"
#include "ports/git.h"

namespace pinwheel::host {

/// The untracked files of a checkout that are source: new files of the project that a build or a
/// test would read. Logs, results and notes in the same checkout are not.
///
/// An untracked file is source if it has the name of code or of a build's configuration, if it is a
/// script, if it is below a directory that contains code (data of a package, of its tests), or if a
/// build file names it or its top directory (`MANIFEST.in`: by a pattern). Logs, scratch files of
/// editors and leftovers of builds (`BuildLeftovers`) are never source, unless `MANIFEST.in` names
/// them.
class UntrackedSource {
 public:
  UntrackedSource(const std::filesystem::path& directory, const ports::GitFiles& files);

  /// Whether one of the untracked files is source.
  bool contains(const std::string& name) const;

 private:
  bool is_below_code(std::string_view name) const;
  bool is_in_manifest(std::string_view name) const;
  bool is_named(std::string_view name) const;
  bool is_script(const std::string& name) const;

  std::filesystem::path directory_;
  std::vector<std::string> names_;  ///< all, sorted
  BuildLeftovers leftovers_;
  std::set<std::string, std::less<>> code_;         ///< directories with code in them; the top: ""
  std::vector<std::vector<std::string>> manifest_;  ///< the words of each line of `MANIFEST.in`
};

}  // namespace pinwheel::host
