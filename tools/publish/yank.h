#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "publish/catalog.h"
#include "publish/pinned_version.h"

namespace pinwheel::publish {

enum class YankChange { yank, undo };

/// A request to change the yanked status of a version (PEP 592).
struct YankRequest {
  PinnedVersion version;
  YankChange change = YankChange::yank;
  /// Shown by installers. Without one, a file that is already yanked keeps its reason.
  std::optional<std::string> reason = std::nullopt;
};

/// A file of the version, in one or several places of the index.
struct YankedFile {
  std::string filename;
  bool changed = false;  ///< whether its status or its reason changed

  bool operator==(const YankedFile&) const = default;
};

struct Yanking {
  Catalog catalog;
  std::vector<YankedFile> files;  ///< sorted by name, not empty
};

/// Changes the status of all files of the version, in every place of the index. Kind
/// `nothing_selected` if the index has no file of the version.
Result<Yanking> yank(Catalog catalog, const YankRequest& request);

/// Kind `usage` unless a reason is one line of printable text of at most 500 characters, so that
/// every installer can show it.
Done check_yank_reason(const std::string& reason);

}  // namespace pinwheel::publish
