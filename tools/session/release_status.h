#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/machine/workplace.h"
#include "host/net/http.h"
#include "plan/outcome.h"
#include "plan/step.h"
#include "prepare/host.h"
#include "publish/index_file.h"
#include "publish/release_status.h"

namespace pinwheel::session {

/// The files that the publications of a plan have, as far as steps have results: from each build
/// the file with the name that the target uses. Pure.
std::vector<publish::ExpectedFile> expected_files(const plan::Plan& plan,
                                                  const std::vector<plan::StepOutcome>& outcomes);

/// The steps without a result that the publications need: builds, tests, the sdist,
/// installations from the first target. Pure.
std::vector<std::string> steps_without_result(const plan::Plan& plan,
                                              const std::vector<plan::StepOutcome>& outcomes);

/// Where pages come from.
struct PageSource {
  const prepare::Host& host;
  const host::Workplace& workplace;  ///< paths of directory indexes are relative to its matrix
  host::HttpOptions requests;
};

/// The files of a project on the target of a publication that has a directory or a bucket, or the
/// upload API of PyPI. Read without credentials, except for a bucket.
Result<std::vector<publish::IndexFile>> target_page(const PageSource& source,
                                                    const plan::Publish& publication,
                                                    const std::string& project);

/// Compares the files with the pages of their targets, several at the same time, without
/// credentials except for GitHub. A target whose index has no pages (`confirm: none`) is left out.
publish::ReleaseStatus compare_release(const plan::Plan& plan,
                                       const std::vector<publish::ExpectedFile>& expected,
                                       const PageSource& source);

}  // namespace pinwheel::session
