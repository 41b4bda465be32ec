#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/index/fetch_release.h"
#include "host/steps/step_context.h"
#include "matrix/matrix.h"
#include "publish/release_record.h"

namespace pinwheel::host {

/// The records that the first publication of a release wrote, for a step that needs it. `check` if
/// one of them has changed since then.
Result<std::vector<publish::ReleaseRecord>> first_records(const StepContext& context,
                                                          const matrix::PublishTarget& first);

/// Checks that the page of a record's project on the first target lists the release as recorded.
/// Errors are those of `read_project` and `publish::select_recorded`.
Done check_listed(const StepContext& context, const matrix::PublishTarget& first,
                  const publish::ReleaseRecord& record);

/// A release that was received from its first target. No other process changes the files while this
/// exists.
struct ReceivedRelease {
  std::map<std::string, std::filesystem::path> files = {};  ///< by name
  std::vector<ReleaseDownloads> downloads = {};
};

/// Receives the files of the records from the first target. Those that an interrupted attempt
/// received are not received again. Errors are those of `fetch_release`.
Result<ReceivedRelease> receive_release(const StepContext& context,
                                        const matrix::PublishTarget& first,
                                        const std::vector<publish::ReleaseRecord>& records);

/// Removes the received files, after they were published.
Done remove_received(const StepContext& context, const ReceivedRelease& received);

}  // namespace pinwheel::host
