#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pinwheel::host {

/// The directories below a source that runs fill: their files are not source. A directory that
/// contains the source does not count: a run may have made the checkout itself.
class MadeDirectories {
 public:
  /// The directories of `made` that are below `source`, and links there that lead to them; other
  /// links do not matter. `environment` if one cannot be reached.
  static Result<MadeDirectories> below(const std::filesystem::path& source,
                                       const std::vector<std::filesystem::path>& made);

  /// Whether the file, relative to the source, is below one of them.
  bool contains(std::string_view name) const;
  /// Whether the path is one of them or below one.
  bool covers(std::string_view name) const;

 private:
  void add(const std::filesystem::path& path, const std::filesystem::path& top);

  std::vector<std::string> names_;  ///< relative to the source, with a slash at the end
};

}  // namespace pinwheel::host
