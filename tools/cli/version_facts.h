#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/load.h"
#include "plan/names.h"
#include "plan/outline.h"
#include "ports/files.h"
#include "ports/git.h"

namespace pinwheel::cli {

/// What is known of a run from git, the matrix and the command line alone.
struct VersionFacts {
  std::string channel;
  std::string branch;                ///< empty on a detached HEAD and outside git
  std::vector<std::string> targets;  ///< publish targets of the channel, or those asked for
  plan::ReleaseVersion version;
  int64_t source_date_epoch = 0;
  std::string commit;   ///< 40 digits; empty outside git
  std::string machine;  ///< "x86_64"
};

/// Reads git, and what the version of the package is taken from. `channel` and `targets` override
/// what the tag and the matrix say.
Result<VersionFacts> gather_version_facts(ports::Files& files, ports::Git& git,
                                          const Loaded& loaded, const std::string& channel,
                                          const std::vector<std::string>& targets);

/// Names of the wheels of an outline: the preflight that comes before any build.
Result<plan::Namings> name_builds(const Loaded& loaded, const plan::Outline& outline,
                                  const VersionFacts& version);

}  // namespace pinwheel::cli
