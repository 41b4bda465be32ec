#pragma once
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/index/index_content.h"
#include "ports/clock.h"
#include "ports/files.h"
#include "publish/catalog.h"
#include "publish/prune.h"
#include "publish/yank.h"

namespace pinwheel::host {

/// Publishes files to the package index at `index`, a directory that any file server can serve and
/// pip can read by a file:// URL: HTML and JSON pages, hashes, `.metadata` next to each wheel.
///
/// `index` is a symbolic link to the current generation, a complete tree in
/// `.<name>.generations/<number>` next to it. Publishing builds the next generation (existing files
/// are hard links, new ones are copies that are hashed while they are written), makes it durable,
/// and then replaces the link by one rename. Pages are reached through the link, so every request
/// sees one generation; renaming pages one by one would expose inconsistent pages. A file that a
/// new generation no longer lists (`options`) is still in it, and in no later one: so links in a
/// page of the old generation work in the new one, too. The old generation is removed when the next
/// one is published. If publishing is killed at any point, the link still points to a complete
/// tree, and the next call removes the partial one. Publishers wait for each other on a lock.
///
/// A plain directory with the contents of an index, such as a checkout, a mirror or the artifact of
/// a job, is taken over: it becomes the first generation, and a link replaces it. It is moved aside
/// for the moment between two renames; a call after a kill at that point moves it back first.
///
/// A new file gets the time of `clock` as its upload time, which it keeps in later generations.
///
/// Publishing the same bytes again is success (`identical`) and writes nothing, unless there is
/// something to retire. Errors: `publish`
/// if a name exists with different bytes (lists every conflict with both hashes; nothing was
/// written), `check` if two files belong to different releases of a project or a name contradicts
/// its metadata, `config` for an invalid label or path, also one inside another index,
/// `environment` for disk errors.
Result<IndexPublication> publish_to_directory(const std::filesystem::path& index,
                                              const std::vector<IndexEntry>& entries,
                                              const RetentionOptions& options, ports::Files& files,
                                              const ports::Clock& clock);

/// The contents of an index, as the current generation lists them. Kind `config` if `index` is not
/// an index that `publish_to_directory` wrote.
Result<publish::Catalog> read_directory(const std::filesystem::path& index, ports::Files& files);

/// Changes the yanked status of a version, as one new generation; writes nothing if nothing
/// changes. Errors of `read_directory` and `publish::yank`.
Result<publish::Yanking> yank_in_directory(const std::filesystem::path& index,
                                           const publish::YankRequest& request,
                                           ports::Files& files);

/// Removes old versions from the pages of an index, as one new generation; writes nothing if
/// nothing is removed. The files stay in that generation, and are in none after it. Errors of
/// `read_directory` and `publish::prune`.
Result<publish::Pruning> prune_directory(const std::filesystem::path& index,
                                         const publish::PruneRules& rules, ports::Files& files,
                                         const ports::Clock& clock);

/// The paths of a directory index's generations.
struct IndexPaths {
  explicit IndexPaths(const std::filesystem::path& index);

  std::filesystem::path link;         ///< the index itself, a symbolic link
  std::filesystem::path generations;  ///< `.<name>.generations` next to it
  std::filesystem::path lock() const { return generations / "lock"; }
  /// A plain copy of an index while a link takes its place.
  std::filesystem::path replaced() const { return generations / "replaced"; }
  std::filesystem::path generation(uint64_t number) const;
};

/// Hard-links all files of `from` to the same relative paths below `to`, except the pages, and
/// wheels and sdists whose paths are not `listed`; copies them if the file system has no hard
/// links.
Done link_files(const std::filesystem::path& from, const std::filesystem::path& to,
                const std::set<std::string>& listed);

}  // namespace pinwheel::host
