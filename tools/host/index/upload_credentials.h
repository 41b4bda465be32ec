#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "host/index/upload.h"
#include "host/index/upload_target.h"

namespace pinwheel::host {

/// The credentials of an upload, from its beginning to its end. Tokens from an exchange are
/// obtained when it opens, renewed before they expire, and revoked when they are replaced and no
/// request uses them any more, and when the object ends, for any reason. A failure to revoke one is
/// a warning.
class UploadCredentials {
 public:
  /// Both must outlive it. Without `UploadHooks::now`, nothing is renewed.
  UploadCredentials(const UploadTarget& target, const UploadHooks& hooks);
  ~UploadCredentials() = default;
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

  /// The current token stays valid while its user keeps this, even if it is replaced; empty for
  /// credentials of the user. It must not outlive the target and the hooks.
  std::shared_ptr<const ExchangedCredentials> in_use() const { return exchanged_; }

  /// The advice if the index rejects the current ones; empty for those of the user.
  std::string advice() const;
  const OpenIndex& index() const { return index_; }

 private:
  Done exchange(const CredentialExchange& source);

  const UploadTarget& target_;
  const UploadHooks& hooks_;
  OpenIndex index_;
  std::shared_ptr<const ExchangedCredentials> exchanged_;       ///< its last owner revokes it
  std::optional<std::chrono::system_clock::time_point> stale_;  ///< when to renew them
};

}  // namespace pinwheel::host
