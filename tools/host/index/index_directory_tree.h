#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "base/result.h"
#include "ports/files.h"

namespace pinwheel::host {

/// The paths of a directory index's generations.
struct IndexPaths {
  explicit IndexPaths(const std::filesystem::path& index);

  std::filesystem::path link;         ///< the index itself, a symbolic link
  std::filesystem::path generations;  ///< `.<name>.generations` beside it
  std::filesystem::path lock() const { return generations / "lock"; }
  std::filesystem::path generation(uint64_t number) const;
};

/// The current generation of the index; nullopt if there is no index yet (missing, or an empty
/// directory). Kind `config` if the path is anything else.
Result<std::optional<uint64_t>> current_generation(const IndexPaths& paths);

/// Removes every generation except `kept`: older ones, and those left by a killed publisher.
Done clear_generations(const IndexPaths& paths, std::optional<uint64_t> kept, ports::Files& files);

/// Hard-links all files of `from` to the same relative paths below `to`, except the pages, and
/// wheels and sdists whose paths are not `listed`; copies them if the file system has no hard
/// links.
Done link_files(const std::filesystem::path& from, const std::filesystem::path& to,
                const std::set<std::string>& listed);

/// Copies a file and makes it durable. Kind `publish` if its digest is no longer `sha256`: it was
/// changed while it was being published.
Done copy_checked(const std::filesystem::path& from, const std::filesystem::path& to,
                  const std::string& sha256);

/// Makes all directories from the parent of `root` on down durable, and readable by everybody
/// whatever the umask.
Done sync_tree(const std::filesystem::path& root);

/// Switches the index to a different generation, by one rename.
Done switch_to(const IndexPaths& paths, uint64_t number);

}  // namespace pinwheel::host
