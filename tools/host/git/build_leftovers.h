#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::host {

/// The files that builds are known to leave in a project's directory. A checkout ignores them by
/// `.gitignore`; in a plain directory they are among the files, and would change the source after
/// each build.
///
/// Recognized are caches and build trees by their names or marker files, metadata and wheels, and
/// extension modules at the paths where the project's files build them. Of `build/` and `dist/`
/// only the files of builds: they may contain source, too.
class BuildLeftovers {
 public:
  /// `files` are relative to the directory and sorted; both must outlive this.
  BuildLeftovers(const std::filesystem::path& directory, const std::vector<std::string>& names);

  /// Whether one of the files is a leftover.
  bool contains(const std::string& name) const;
  /// Whether a build file of the project contains this text as a separate word.
  bool build_files_name(std::string_view name) const;

 private:
  bool is_made_module(const std::string& name) const;
  bool has(const std::string& name) const;

  const std::vector<std::string>& names_;
  std::vector<std::string> trees_;  ///< directories that other tools own, with a slash at the end
  std::string build_files_;         ///< the texts of those that define the built modules
  bool from_sdist_ = false;         ///< whose metadata is part of the source
};

}  // namespace pinwheel::host
