#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/index/upload.h"
#include "ports/files.h"
#include "publish/artifact.h"
#include "publish/catalog.h"

namespace pinwheel::host {

/// A file for a directory index: it is listed in the sub-index of its label (`<index>/cpu/`), with
/// `InRoot::yes` in the root too, and without a label in the root alone.
struct DirectoryEntry {
  publish::Artifact file;
  std::string label = {};
  publish::InRoot in_root = publish::InRoot::no;
};

/// Publishes files into the package index at `index`, a directory that any file server, or pip by a
/// file:// URL, can read: HTML and JSON pages, hashes, `.metadata` beside each wheel.
///
/// `index` is a symbolic link to the current generation, a complete tree in
/// `.<name>.generations/<number>` beside it. Publishing builds the next generation (files that
/// exist are hard links, new ones are copies that were hashed while they were written), makes it
/// durable, and then replaces the link by one rename. A page is reached through the link, so every
/// request sees one generation; renaming pages one by one would show readers pages that do not fit
/// each other. No file ever leaves the index, so a page that was read from the old generation leads
/// to files that the new one has too; the old generation goes when the next one is published.
/// Killed at any moment, the link names a complete tree, and what was begun is cleared away by the
/// next call. Publishers wait for each other on a lock.
///
/// The same bytes again are success (`identical`) and write nothing. Errors: `publish` when a name
/// is there with other bytes (every conflict with both hashes; nothing was written), `check` when
/// two files belong to different releases of a project or a name contradicts its metadata, `config`
/// for a label or a path that cannot be used, `environment` for the disk.
Result<std::vector<FileOutcome>> publish_to_directory(const std::filesystem::path& index,
                                                      const std::vector<DirectoryEntry>& entries,
                                                      ports::Files& files);

}  // namespace pinwheel::host
