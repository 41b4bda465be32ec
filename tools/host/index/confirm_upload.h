#pragma once
#include <vector>

#include "host/index/upload_session.h"

namespace pinwheel::host {

/// A file that the index accepted.
struct AcceptedFile {
  const publish::Artifact* file = nullptr;
  publish::UploadEvent event;  ///< called once the index lists the file
};

/// Checks which accepted files the index lists with their hash. Any server may answer an upload
/// with 200 and store nothing.
class ConfirmUploads {
 public:
  explicit ConfirmUploads(const UploadSession& session) : session_(session) {}

  /// Looks once; a file that is not listed yet is looked up again by `finish`. Kind `publish` if
  /// the index lists another file of that name.
  Done look(AcceptedFile accepted);
  /// Waits until the rest are listed. Kind `publish` for files that never are.
  Done finish();

 private:
  Result<bool> is_listed(const publish::Artifact& file);
  Error unconfirmed() const;

  const UploadSession& session_;
  std::vector<AcceptedFile> unlisted_;
  std::optional<Error> trouble_;  ///< why a page could not be read
};

}  // namespace pinwheel::host
