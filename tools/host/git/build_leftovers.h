#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::host {

/// What builds are known to leave in a project's directory. A checkout ignores it by `.gitignore`;
/// a plain directory has it among its files, where it would change the source after each build.
///
/// Recognized are caches and build trees by their names or by what marks them, metadata and wheels,
/// and extension modules that stand where the project's files make them. Of `build/` and `dist/`
/// only what builds put there: they may hold source, too.
class BuildLeftovers {
 public:
  /// Of a directory with these files, relative to it and sorted; both must outlive this.
  BuildLeftovers(const std::filesystem::path& directory, const std::vector<std::string>& names);

  /// Whether one of the files is a leftover.
  bool contains(const std::string& name) const;
  /// Whether a build file of the project has this text as a word of its own.
  bool build_files_name(std::string_view name) const;

 private:
  bool is_made_module(const std::string& name) const;
  bool has(const std::string& name) const;

  const std::vector<std::string>& names_;
  std::vector<std::string> trees_;  ///< directories that others own, with a slash at the end
  std::string build_files_;         ///< the texts of those that say which modules are made
  bool from_sdist_ = false;         ///< whose metadata is part of the source
};

}  // namespace pinwheel::host
