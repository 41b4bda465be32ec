#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "pep/version.h"
#include "ports/git.h"
#include "version/rules.h"

namespace pinwheel::version {

/// The version of a commit, and how it was derived.
struct Derived {
  pep::Version version;          ///< without a local part
  std::string unreleased = {};   ///< "g1a2b3c4" or "g1a2b3c4.dirty"; empty on a release
  std::vector<std::string> why;  ///< the reasons, one sentence each, in the order of the decisions
  uint64_t build = 0;            ///< build number of a re-cut, from its tag; 0: none
};

/// The version of HEAD in a channel (PEP 440):
/// on a tag, the tag's (the highest of several, with the build number of a re-cut); after a final
/// tag, the next release by `bump` and
/// `.devN`, N counting commits; after a pre-release tag, the next pre-release and `.devN`; nightly,
/// the next version above every tag of the repository and `.devYYYYMMDD` of `date` in UTC; without
/// tags, as after 0.0.0. A dirty tree never has the version of a tag.
///
/// `config`: a bad pattern; channel `release` without a tag on HEAD or with a dirty tree.
/// `environment`: a shallow clone without tags. The hint is the git command that fixes it.
Result<Derived> derive(const ports::GitFacts& facts, const Rules& rules, Channel channel,
                       std::chrono::system_clock::time_point date);

/// The version of a wheel: `+label` on a release, `+label.g1a2b3c4[.dirty]` otherwise. An empty
/// label is omitted. `config` when the label is not a valid local version.
Result<pep::Version> with_label(const Derived& derived, std::string_view label);

/// The default channel of a commit, and the tag on HEAD that chooses it; empty: there is none.
struct CommitChannel {
  Channel channel = Channel::ci;
  std::string tag = {};
};

/// A final tag on HEAD is release, a pre-release tag is test, anything else ci.
Result<CommitChannel> channel_of(const ports::GitFacts& facts, const Rules& rules);

/// `from: file`: parses the contents of a version file, which may have white space around the
/// version. `path` is for messages. `config` when it is empty, not a version, or has a local part.
Result<Derived> version_from_file(std::string_view contents, const std::string& path);

}  // namespace pinwheel::version
