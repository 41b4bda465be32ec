#pragma once
#include <chrono>
#include <optional>
#include <string>

#include "base/result.h"
#include "host/index/upload.h"
#include "host/index/upload_target.h"

namespace pinwheel::host {

/// The credentials of an upload, from its beginning to its end. Those that have to be minted are
/// minted when it opens, minted anew before they end, and burnt when they are replaced and when the
/// object ends, whatever the reason. That one is not burnt is told as a warning.
class UploadCredentials {
 public:
  /// Both must outlive it. Without `UploadHooks::now`, nothing is minted anew.
  UploadCredentials(const UploadTarget& target, const UploadHooks& hooks);
  ~UploadCredentials();
  UploadCredentials(const UploadCredentials&) = delete;
  UploadCredentials& operator=(const UploadCredentials&) = delete;

  /// Call it once before `index` is used. Errors are those of the source.
  Done open();
  /// Mints others if the current ones are not fresh any longer; call it before a request. If that
  /// fails for now, those that have not ended are kept, which is told: the next request tries
  /// again.
  Done renew();
  /// Whether others can be minted. The current ones may have ended while a file was on its way.
  bool can_renew() const { return stale_.has_value(); }
  /// Mints others, whatever the age of the current ones.
  Done replace();

  /// What to do where the index refuses the current ones; empty for those of the user.
  std::string advice() const;
  const OpenIndex& index() const { return index_; }

 private:
  Done mint(const MintCredentials& source);
  void burn();

  const UploadTarget& target_;
  const UploadHooks& hooks_;
  OpenIndex index_;
  std::optional<MintedCredentials> minted_;
  std::optional<std::chrono::system_clock::time_point> stale_;  ///< when others are minted
};

}  // namespace pinwheel::host
