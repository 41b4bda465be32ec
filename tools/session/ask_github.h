#pragma once
#include <optional>
#include <vector>

#include "base/result.h"
#include "host/machine/workplace.h"
#include "host/net/http.h"
#include "plan/step.h"
#include "prepare/host.h"
#include "publish/github_release.h"
#include "publish/index_file.h"
#include "publish/index_state.h"

namespace pinwheel::session {

/// What questions to GitHub need: a host, the variables and the token file of a run, and the
/// options of requests.
struct GithubQuestions {
  const prepare::Host& host;
  const host::Workplace& workplace;
  host::HttpOptions requests;
};

/// The states of the releases on GitHub that publications of a plan make, with what would stop
/// them: no commit to tag, a missing token or one that may not write, a tag at another commit, a
/// published release that lacks files.
std::vector<publish::IndexState> ask_github(const GithubQuestions& questions,
                                            const plan::Plan& plan,
                                            const std::vector<const plan::Publish*>& publications);

/// The files of a release on GitHub.
struct GithubFiles {
  std::vector<publish::IndexFile> files = {};  ///< none of a draft
  std::optional<Error> conflict = {};          ///< the tag is at another commit
};

/// The files of a publication's release. Without a token, the question is asked without one. Kind
/// `check` without a commit to tag.
Result<GithubFiles> github_files(const GithubQuestions& questions,
                                 const plan::Publish& publication);

}  // namespace pinwheel::session
