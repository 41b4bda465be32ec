#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "ports/files.h"

namespace pinwheel::host {

/// Where the generations of one directory index lie.
struct IndexPaths {
  explicit IndexPaths(const std::filesystem::path& index);

  std::filesystem::path link;         ///< the index itself, a symbolic link
  std::filesystem::path generations;  ///< `.<name>.generations` beside it
  std::filesystem::path lock() const { return generations / "lock"; }
  std::filesystem::path generation(uint64_t number) const;
};

/// The generation that the index names; nullopt when there is no index yet (missing, or an empty
/// directory). Kind `config` when something else stands there.
Result<std::optional<uint64_t>> current_generation(const IndexPaths& paths);

/// Removes every generation but `kept`: older ones, and those that a killed publisher left.
Done clear_generations(const IndexPaths& paths, std::optional<uint64_t> kept, ports::Files& files);

/// Links all files of `from` except the pages into the same places below `to`; copies where the
/// file system has no hard links.
Done link_files(const std::filesystem::path& from, const std::filesystem::path& to);

/// Copies a file and makes it durable. Kind `publish` when its bytes no longer have the digest
/// `sha256`: it was changed while it was published.
Done copy_checked(const std::filesystem::path& from, const std::filesystem::path& to,
                  const std::string& sha256);

/// Makes the entries of all directories below `root` durable.
Done sync_tree(const std::filesystem::path& root);

/// Points the index to another generation, by one rename.
Done switch_to(const IndexPaths& paths, uint64_t number);

}  // namespace pinwheel::host
