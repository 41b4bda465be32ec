#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/outline.h"
#include "ports/files.h"
#include "ports/git.h"
#include "ports/notices.h"
#include "prepare/host.h"
#include "prepare/load.h"
#include "prepare/version_facts.h"
#include "publish/artifact.h"

namespace pinwheel::prepare {

/// Compares the version literal of the checkout with the planned version, before anything is made:
/// a build would end with the wrong one. `config` with both places if that is certain; a warning if
/// the project's code or each `build.command` may still set the version. Skipped for a third-party
/// sdist and for a source without the files of a Python project.
Done check_project_version(const Host& host, const Loaded& loaded, const plan::Outline& outline,
                           const VersionFacts& version, ports::Notices& notices);

/// Whether wheels of the version are going to be published.
enum class Publishing { no, yes };

/// Whether a run up to the publications publishes: it has targets, or the channel `release`. Pure.
Publishing publishing_of(const VersionFacts& version);

/// Compares the version in the project's files with the package's tag on HEAD
/// (`VersionFacts::tag`). A contradiction is `config` with both places if the version is going to
/// be published, else a warning, unless tracked files differ from HEAD.
Done check_head_tag(const Host& host, const Loaded& loaded, const VersionFacts& version,
                    Publishing publishing, ports::Notices& notices);

/// The same for files that `publish` uploads: `config` if one is of the project in the working
/// directory, in the version of its files, and the package's tag on HEAD has another. Files of
/// other projects or versions, and directories outside git, are accepted.
Done check_published_tag(const Host& host, const std::vector<publish::Artifact>& published);

/// Whether a build command runs more than the project's backend: a front end only calls the
/// backend.
bool runs_own_program(const std::vector<std::string>& argv);

}  // namespace pinwheel::prepare
