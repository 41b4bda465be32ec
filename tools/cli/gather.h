#pragma once
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/load.h"
#include "cli/options.h"
#include "env/lock.h"
#include "host/machine/workplace.h"
#include "host/net/http.h"
#include "host/provision/env_resolve.h"
#include "plan/frozen.h"
#include "plan/make_plan.h"
#include "plan/names.h"
#include "ports/files.h"
#include "ports/git.h"

namespace pinwheel::cli {

/// An image that environments stand on.
struct UsedImage {
  std::string base;  ///< as the matrix or the command line names it
  env::ContainerImage image;
};

/// Outside facts of one run, read once. `plan` is what the pure plan takes.
struct Facts {
  std::string channel;
  std::string branch;                ///< empty on a detached HEAD and outside git
  std::vector<std::string> targets;  ///< publish targets of the channel, or those asked for
  plan::PlanFacts plan;
  std::set<std::string> locked;  ///< digests of requests whose resolution a lock decides
  std::map<std::string, UsedImage> images = {};          ///< by the digest of their settings
  std::map<std::string, plan::FrozenImage> pinned = {};  ///< those that must be in use
};

/// The cheap facts, from git alone: channel, version, date, commit. `channel` and `targets`
/// override what the tag and the matrix say.
Result<Facts> gather_version_facts(ports::Files& files, ports::Git& git, const Loaded& loaded,
                                   const std::string& channel,
                                   const std::vector<std::string>& targets);

/// The facts of a build beyond the version: source, toolchain, the user's variables that decide a
/// build. Resolutions are added later, for the environments that the plan turns out to need.
Done gather_build_facts(const Loaded& loaded, const host::Workplace& workplace, Facts& facts);

/// Names of the wheels of an outline: the preflight that comes before any build.
Result<plan::Namings> name_builds(const Loaded& loaded, const plan::Outline& outline,
                                  const Facts& facts);

/// The user's environment as a map.
std::map<std::string, std::string> user_variables();

/// Whether a variable of the user's decides what a build makes, and so stands in its key.
bool decides_build(std::string_view name);

/// Makes a directory of pinwheel's own, which is invisible to the git of a checkout it lies in.
Done make_ignored_directory(ports::Files& files, const std::filesystem::path& directory);

/// How pinwheel speaks to an index: under its own name, trusting the certificates that the user's
/// variables name.
host::HttpOptions http_options();
/// The same for files and pages that are read: connections are kept, and ~/.netrc holds.
host::HttpOptions reading_options();
/// Where files without a name are put, so that nothing has to be cleared away: `$TMPDIR`, else
/// /var/tmp, which is no memory.
std::filesystem::path unnamed_files_directory(const std::map<std::string, std::string>& variables);

/// `$PINWHEEL_CACHE_DIR`, else `$XDG_CACHE_HOME/pinwheel`, else `~/.cache/pinwheel`; `environment`
/// when there is no home.
Result<std::filesystem::path> cache_directory(const std::map<std::string, std::string>& variables);

/// Where this run works; makes the state directory, which ignores itself in git. Whether builds see
/// a fixed path is left open: `run_plan` asks the machine when a step is to run.
Result<host::Workplace> make_workplace(const GlobalOptions& global, const Loaded& loaded);

/// The workplace with what builds may see as their path: the machine is asked, which starts four
/// programs; a container sees what is mounted where it is mounted.
host::Workplace with_path_mode(host::Workplace workplace);

using host::Refresh;
enum class UseLocks { yes, no };

/// What a run is about: what was selected of the matrix, and how far it is carried.
struct Undertaking {
  const Loaded& loaded;
  const plan::Outline& outline;
  plan::PlanOptions options;
};

/// Resolves every environment that the outline needs (recorded resolutions are taken unless
/// `--refresh`) and enters the digests into the facts. Tells what it resolves, since it may take a
/// while.
Done gather_resolutions(const Undertaking& what, const host::Workplace& workplace, Refresh refresh,
                        Streams& streams, Facts& facts);

/// An environment that the plan needs, and how old what it means is.
struct RecordedResolution {
  std::string environment;                                 ///< "Python 3.11, torch~=2.13.0"
  std::optional<std::chrono::seconds> age = std::nullopt;  ///< none: resolved when it is needed
};

/// Enters the resolutions that are on record; asks no index.
Result<std::vector<RecordedResolution>> gather_recorded(const Undertaking& what,
                                                        const host::Workplace& workplace,
                                                        Facts& facts);

/// What `plan --out` freezes and where.
struct FreezeRequest {
  const std::string& out;
  const Loaded& loaded;
  const plan::Outline& outline;
  const LevelOptions& levels;
  UseLocks locks = UseLocks::yes;
};

/// Writes what `plan --out` freezes; resolves the environments first.
Done freeze_plan(ports::Files& files, const GlobalOptions& global, const FreezeRequest& request,
                 Facts facts, Streams& streams);

}  // namespace pinwheel::cli
