#include "host/index/index_directory.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "base/digest.h"
#include "base/text.h"
#include "host/index/index_directory_tree.h"
#include "pep/name.h"
#include "publish/preflight.h"
#include "publish/retention.h"
#include "publish/simple_page.h"

namespace pinwheel::host {

namespace fs = std::filesystem;

namespace {

using publish::Artifact;

/// Runs the preflight. A file under several labels is checked once.
Done check(const std::vector<DirectoryEntry>& entries) {
  std::map<std::string, Artifact> distinct;
  for (const DirectoryEntry& entry : entries) {
    distinct.emplace(entry.file.filename + "\n" + entry.file.sha256, entry.file);
  }
  std::vector<Artifact> files;
  files.reserve(distinct.size());
  for (const auto& [key, file] : distinct) files.push_back(file);
  std::vector<Error> findings = publish::preflight(files, {});
  if (findings.empty()) return {};
  return fail(Error{ErrorKind::check, "the files failed the index checks, nothing was written",
                    std::nullopt, "fix each finding", std::move(findings)});
}

std::string requires_python(const Artifact& file) {
  for (const ports::FormField& field : file.fields) {
    if (field.name == "requires_python") return field.value;
  }
  return {};
}

publish::Addition addition_of(const DirectoryEntry& entry) {
  const Artifact& file = entry.file;
  const bool wheel = file.kind == publish::FileKind::wheel;
  return {file.filename,
          pep::normalize_name(file.name),
          entry.label,
          entry.in_root,
          {"", file.sha256, file.size, requires_python(file),
           wheel ? sha256_hex(file.metadata) : std::string()}};
}

/// Reads the pages of one directory, listed by its `index.json`.
Done read_place(publish::Catalog& catalog, const fs::path& root, const std::string& place,
                ports::Files& files) {
  TRY(const std::string page, files.read(root / place / "index.json", limits::kSimplePage));
  TRY(const std::vector<std::string> projects, publish::parse_root_json(page));
  catalog.places[place];
  for (const std::string& project : projects) {
    TRY(const std::string json,
        files.read(root / place / project / "index.json", limits::kSimplePage));
    TRY_DONE(publish::read_back(catalog, place, project, json));
  }
  return {};
}

/// The contents of a generation. Its directories are the root's projects and the sub-indexes.
Result<publish::Catalog> read_catalog(const fs::path& root, ports::Files& files) {
  publish::Catalog catalog;
  TRY_DONE(read_place(catalog, root, "", files));
  TRY(const std::vector<std::string> names, files.list(root));
  const publish::Projects in_root = catalog.places[""];
  for (const std::string& name : names) {
    TRY(const ports::FileStatus status, files.status(root / name));
    if (status.type != ports::FileType::directory || in_root.count(name) == 1) continue;
    TRY_DONE(read_place(catalog, root, name, files));
  }
  return catalog;
}

/// What the index is to become.
struct Next {
  publish::Merge merge;
  std::vector<std::string> retired = {};

  bool is_new() const { return merge.changed || !retired.empty(); }
};

Result<Next> next_of(publish::Catalog held, const std::vector<DirectoryEntry>& entries,
                     const DirectoryOptions& options) {
  std::vector<publish::Addition> additions;
  additions.reserve(entries.size());
  for (const DirectoryEntry& entry : entries) additions.push_back(addition_of(entry));
  TRY(publish::Merge merge, publish::add(std::move(held), additions));
  if (!options.nightlies) return Next{std::move(merge)};
  publish::Kept kept =
      publish::keep_nightlies(std::move(merge.catalog), *options.nightlies, additions);
  merge.catalog = std::move(kept.catalog);
  return Next{std::move(merge), std::move(kept.retired)};
}

/// Writes the complete tree of the next generation durably.
Done write_generation(const fs::path& root, const std::vector<DirectoryEntry>& entries,
                      const publish::Merge& merge, ports::Files& files) {
  for (size_t i = 0; i < entries.size(); ++i) {
    if (merge.outcomes[i] == publish::Outcome::identical) continue;
    const fs::path home = root / merge.homes[i];
    const Artifact& file = entries[i].file;
    TRY_DONE(files.make_directories(home.parent_path()));
    TRY_DONE(copy_checked(file.path, home, file.sha256));
    if (file.kind == publish::FileKind::wheel) {
      TRY_DONE(files.write(home.string() + ".metadata", file.metadata));
    }
  }
  for (const auto& [path, page] : publish::pages_of(merge.catalog)) {
    TRY_DONE(files.write(root / path, page));
  }
  return sync_tree(root);
}

std::vector<FileOutcome> outcomes_of(const std::vector<DirectoryEntry>& entries,
                                     const publish::Merge& merge) {
  std::vector<FileOutcome> outcomes;
  for (size_t i = 0; i < entries.size(); ++i) {
    const bool uploaded = merge.outcomes[i] == publish::Outcome::uploaded;
    outcomes.push_back({entries[i].file.filename,
                        entries[i].file.sha256,
                        merge.outcomes[i],
                        uploaded ? 1 : 0,
                        {}});
  }
  return outcomes;
}

}  // namespace

Result<DirectoryPublication> publish_to_directory(const fs::path& index,
                                                  const std::vector<DirectoryEntry>& entries,
                                                  const DirectoryOptions& options,
                                                  ports::Files& files) {
  TRY_DONE(check(entries));
  const IndexPaths paths(index);
  TRY_DONE(files.make_directories(paths.generations));
  TRY(const std::unique_ptr<ports::FileLock> lock, files.lock(paths.lock(), ports::IfLocked::wait));
  TRY(const std::optional<uint64_t> current, current_generation(paths));
  publish::Catalog held;
  if (current) {
    TRY(held, read_catalog(paths.generation(*current), files));
  }
  const std::set<std::string> listed = publish::homes_of(held);
  TRY(const Next content, next_of(std::move(held), entries, options));
  DirectoryPublication publication{outcomes_of(entries, content.merge), content.retired};
  if (!content.is_new()) return publication;

  TRY_DONE(clear_generations(paths, current, files));
  const uint64_t next = current.value_or(0) + 1;
  Done written;
  if (current) written = link_files(paths.generation(*current), paths.generation(next), listed);
  if (written) written = write_generation(paths.generation(next), entries, content.merge, files);
  if (!written) {
    // The partial generation is removed immediately; if that fails too, the next publisher removes
    // it.
    const Done removed = files.remove_all(paths.generation(next));
    return fail(removed ? written.error() : std::move(written).error().with_cause(removed.error()));
  }
  TRY_DONE(switch_to(paths, next));
  return publication;
}

}  // namespace pinwheel::host
