#pragma once
#include <filesystem>
#include <memory>
#include <vector>

#include "base/result.h"
#include "ports/files.h"
#include "ports/http.h"
#include "prepare/host.h"
#include "prepare/options.h"
#include "publish/promotion.h"
#include "session/console.h"

namespace pinwheel::session {

/// A release to promote: its record, and where its files come from.
struct PromotionRequest {
  publish::ReleaseRecord record;
  publish::ReleaseSource source;
  prepare::StoreOptions store = {};  ///< for the source `store`
};

/// The files of a promotion. Received ones are in the cache until `end_promotion`; no other command
/// changes them before this is destroyed.
struct PromotedFiles {
  std::vector<std::filesystem::path> files = {};
  std::filesystem::path downloads = {};  ///< where they were received; empty: nowhere
  std::unique_ptr<ports::FileLock> lock = {};
};

/// Gets the files of a release from its source, with progress for people. Files that an interrupted
/// call received are not received again. Errors are those of `host::fetch_release`; for a store,
/// `usage` if none is named and `publish::not_as_recorded` for missing files.
Result<PromotedFiles> fetch_promotion(const prepare::Host& host, const PromotionRequest& request,
                                      ports::Http& http, Console& console);

/// Removes the received files, after they were published.
Done end_promotion(ports::Files& files, const PromotedFiles& promoted);

}  // namespace pinwheel::session
