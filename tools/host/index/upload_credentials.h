#pragma once
#include <chrono>
#include <optional>
#include <string>

#include "base/result.h"
#include "host/index/upload.h"
#include "host/index/upload_target.h"

namespace pinwheel::host {

/// The credentials of an upload, from its beginning to its end. Tokens from an exchange are
/// obtained when it opens, renewed before they expire, and revoked when they are replaced and when
/// the object ends, for any reason. A failure to revoke one is a warning.
class UploadCredentials {
 public:
  /// Both must outlive it. Without `UploadHooks::now`, nothing is renewed.
  UploadCredentials(const UploadTarget& target, const UploadHooks& hooks);
  ~UploadCredentials();
  UploadCredentials(const UploadCredentials&) = delete;
  UploadCredentials& operator=(const UploadCredentials&) = delete;

  /// Call it once before `index` is used. Errors are those of the source.
  Done open();
  /// Renews the credentials if they are no longer fresh; call it before a request. If that fails
  /// with a transient error, unexpired ones stay in use, with a warning: the next request tries
  /// again.
  Done renew();
  /// Whether they can be renewed. The current ones may have expired while a file was being sent.
  bool can_renew() const { return stale_.has_value(); }
  /// Renews the credentials regardless of their age.
  Done replace();

  /// The advice if the index rejects the current ones; empty for those of the user.
  std::string advice() const;
  const OpenIndex& index() const { return index_; }

 private:
  Done exchange(const CredentialExchange& source);
  void revoke();

  const UploadTarget& target_;
  const UploadHooks& hooks_;
  OpenIndex index_;
  std::optional<ExchangedCredentials> exchanged_;
  std::optional<std::chrono::system_clock::time_point> stale_;  ///< when to renew them
};

}  // namespace pinwheel::host
