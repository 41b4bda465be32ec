// The distance of a tag is the number of commits in HEAD that are not in the tag. Asking git for
// each tag would walk the history once per tag; here every commit has the set of tags it is an
// ancestor of, propagated from children to parents in one topological walk. A set is freed once its
// commit has been processed.
#include "host/git/git.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "host/git/git_handle.h"
#include "host/git/git_library.h"
#include "host/git/made_directories.h"
#include "host/system/open_regular.h"

namespace pinwheel::host {
namespace {

struct OidHash {
  size_t operator()(const git_oid& id) const {
    size_t hash = 0;
    std::memcpy(&hash, id.id, sizeof hash);
    return hash;
  }
};
struct OidEqual {
  bool operator()(const git_oid& a, const git_oid& b) const {
    return std::memcmp(a.id, b.id, sizeof a.id) == 0;
  }
};
template <class T>
using OidMap = std::unordered_map<git_oid, T, OidHash, OidEqual>;

using Bits = std::vector<uint64_t>;
constexpr size_t kWord = 64;

struct Target {
  git_oid commit;
  std::vector<std::string> names;
  bool reachable = false;
  int ancestors = 0;  ///< commits in the tag, including the tagged one
};

struct TagList {
  std::vector<Target> targets;
  std::vector<std::string> names;
  OidMap<size_t> by_commit;
};

/// Called for each tag; a tag of a tree or a blob has a name but no history.
int add_tag(const char* reference, git_oid* id, void* payload) {
  TagList& list = *static_cast<TagList*>(payload);
  constexpr std::string_view kPrefix = "refs/tags/";
  const std::string name(std::string_view(reference).substr(kPrefix.size()));
  list.names.push_back(name);
  const auto [at, added] = list.by_commit.try_emplace(*id, list.targets.size());
  if (added) list.targets.push_back({*id, {}, false, 0});
  list.targets[at->second].names.push_back(name);
  return 0;
}

/// Replaces the ids of annotated tags by those of the commits they point to.
TagList peel(const GitLibrary& git, git_repository* repository, const TagList& raw) {
  TagList peeled{{}, raw.names, {}};
  for (const Target& target : raw.targets) {
    git_object* object = nullptr;
    git_object* commit = nullptr;
    const int found = git.object_lookup(&object, repository, &target.commit, GIT_OBJECT_ANY);
    const GitObject object_owner(object, git.object_free);
    if (found != 0 || git.object_peel(&commit, object, GIT_OBJECT_COMMIT) != 0) continue;
    const GitObject commit_owner(commit, git.object_free);
    const git_oid id = *git.object_id(commit);
    const auto [at, added] = peeled.by_commit.try_emplace(id, peeled.targets.size());
    if (added) peeled.targets.push_back({id, {}, false, 0});
    std::vector<std::string>& names = peeled.targets[at->second].names;
    names.insert(names.end(), target.names.begin(), target.names.end());
  }
  return peeled;
}

void merge(Bits& into, const Bits& from) {
  if (into.size() < from.size()) into.resize(from.size(), 0);
  for (size_t i = 0; i < from.size(); ++i) into[i] |= from[i];
}

void count(const Bits& bits, std::vector<Target>& targets) {
  for (size_t word = 0; word < bits.size(); ++word) {
    for (uint64_t rest = bits[word]; rest != 0; rest &= rest - 1) {
      const size_t bit = static_cast<size_t>(__builtin_ctzll(rest));
      ++targets[(word * kWord) + bit].ancestors;
    }
  }
}

/// A commit of the walk, with the parents present in this repository.
struct Node {
  std::vector<git_oid> parents;
  size_t children = 0;  ///< not yet processed
  Bits tags;  ///< tags that it is an ancestor of, as known from the children processed so far
};
using Graph = OidMap<Node>;

/// The commits whose parents are missing in a shallow clone. libgit2 reports them only since 1.7.
std::unordered_set<git_oid, OidHash, OidEqual> shallow_boundary(const GitLibrary& git,
                                                                git_repository* repository) {
  std::unordered_set<git_oid, OidHash, OidEqual> boundary;
  const std::filesystem::path shallow =
      std::filesystem::path(git.repository_commondir(repository)) / "shallow";
  const Result<std::string> text = read_regular_file(shallow, limits::kFile);
  for (const std::string& line : split(text.value_or(std::string()), '\n')) {
    git_oid id;
    if (git.oid_fromstrn(&id, line.data(), line.size()) == 0) boundary.insert(id);
  }
  return boundary;
}

Result<std::vector<git_oid>> parents_of(const GitLibrary& git, git_repository* repository,
                                        const git_oid& id) {
  git_commit* found = nullptr;
  if (git.commit_lookup(&found, repository, &id) != 0) {
    return git_failure(git, "history of HEAD cannot be read");
  }
  const GitCommit commit(found, git.commit_free);
  std::vector<git_oid> parents;
  const unsigned count = git.commit_parentcount(found);
  for (unsigned i = 0; i < count; ++i) parents.push_back(*git.commit_parent_id(found, i));
  return parents;
}

Result<Graph> read_graph(const GitLibrary& git, git_repository* repository, const git_oid& head) {
  const auto boundary = shallow_boundary(git, repository);
  Graph graph;
  graph.try_emplace(head);
  std::vector<git_oid> open = {head};
  while (!open.empty()) {
    const git_oid id = open.back();
    open.pop_back();
    if (boundary.contains(id)) continue;
    TRY(const std::vector<git_oid> parents, parents_of(git, repository, id));
    for (const git_oid& parent : parents) {
      const auto [at, added] = graph.try_emplace(parent);
      ++at->second.children;
      if (added) open.push_back(parent);
    }
    graph[id].parents = parents;
  }
  return graph;
}

/// Processes a commit; its set is complete because its children were processed before it.
void pass(const git_oid& id, Node& node, TagList& tags, Graph& graph, std::vector<git_oid>& ready) {
  if (const auto at = tags.by_commit.find(id); at != tags.by_commit.end()) {
    node.tags.resize(std::max(node.tags.size(), (at->second / kWord) + 1), 0);
    node.tags[at->second / kWord] |= uint64_t{1} << (at->second % kWord);
    tags.targets[at->second].reachable = true;
  }
  count(node.tags, tags.targets);
  for (const git_oid& id_of_parent : node.parents) {
    Node& parent = graph.at(id_of_parent);
    merge(parent.tags, node.tags);
    if (--parent.children == 0) ready.push_back(id_of_parent);
  }
  Bits().swap(node.tags);
}

std::string origin_of(const GitLibrary& git, git_repository* repository) {
  git_config* found = nullptr;
  if (git.repository_config_snapshot(&found, repository) != 0) return {};
  const GitConfig config(found, git.config_free);
  const char* url = nullptr;
  if (git.config_get_string(&url, found, "remote.origin.url") != 0) return {};
  return url == nullptr ? std::string() : std::string(url);
}

/// The tree of the directory in a commit; null if it has none.
GitTree tree_of(const GitLibrary& git, const git_commit& commit, const std::string& directory) {
  git_tree* top = nullptr;
  if (git.commit_tree(&top, &commit) != 0) return {nullptr, git.tree_free};
  GitTree tree(top, git.tree_free);
  if (directory.empty()) return tree;
  git_tree_entry* found = nullptr;
  const std::string path = directory.substr(0, directory.size() - 1);
  if (git.tree_entry_bypath(&found, top, path.c_str()) != 0) return {nullptr, git.tree_free};
  const GitTreeEntry entry(found, git.tree_entry_free);
  git_tree* below = nullptr;
  const int read = git.tree_lookup(&below, git.tree_owner(top), git.tree_entry_id(found));
  return {read == 0 ? below : nullptr, git.tree_free};
}

/// Whether a file of interest differs. Unreadable trees, as in a partial clone, count as different.
bool differs(const GitLibrary& git, git_tree& before, git_tree& after,
             const FilesOfInterest& files) {
  if (git.oid_equal(git.tree_id(&before), git.tree_id(&after)) != 0) return false;
  git_diff* found = nullptr;
  if (git.diff_tree_to_tree(&found, git.tree_owner(&after), &before, &after, nullptr) != 0) {
    return true;
  }
  const GitDiff diff(found, git.diff_free);
  for (size_t i = 0; i < git.diff_num_deltas(found); ++i) {
    // Without a search for renames, both sides have the same name.
    if (files.counts(git.diff_get_delta(found, i)->new_file.path)) return true;
  }
  return false;
}

/// `Git::last_change`, starting at `head`.
GitCommit last_commit_that_changed(const GitLibrary& git, GitCommit head,
                                   const FilesOfInterest& files) {
  const auto boundary = shallow_boundary(git, git.commit_owner(head.get()));
  GitCommit at = std::move(head);
  GitTree tree = tree_of(git, *at, files.directory);
  while (tree && !boundary.contains(*git.commit_id(at.get()))) {
    GitCommit same(nullptr, git.commit_free);
    for (unsigned i = 0; !same && i < git.commit_parentcount(at.get()); ++i) {
      git_commit* found = nullptr;
      if (git.commit_parent(&found, at.get(), i) != 0) continue;
      GitCommit parent(found, git.commit_free);
      GitTree before = tree_of(git, *found, files.directory);
      if (!before || differs(git, *before, *tree, files)) continue;
      same = std::move(parent);
      tree = std::move(before);
    }
    if (!same) break;
    at = std::move(same);
  }
  return at;
}

}  // namespace

Result<GitHistory> read_history(const GitLibrary& git, git_repository* repository,
                                const git_oid& head) {
  TagList raw;
  if (git.tag_foreach(repository, add_tag, &raw) != 0)
    return git_failure(git, "tags cannot be read");
  TagList tags = peel(git, repository, raw);

  TRY(Graph graph, read_graph(git, repository, head));
  std::vector<git_oid> ready = {head};
  while (!ready.empty()) {
    const git_oid id = ready.back();
    ready.pop_back();
    pass(id, graph.at(id), tags, graph, ready);
  }

  GitHistory history;
  history.commit_count = static_cast<int>(graph.size());
  for (const Target& target : tags.targets) {
    if (!target.reachable) continue;
    for (const std::string& name : target.names) {
      history.tags.push_back({name, history.commit_count - target.ancestors});
    }
  }
  history.all_tags = std::move(tags.names);
  return history;
}

namespace {

namespace fs = std::filesystem;

std::string branch_of(const GitLibrary& git, git_repository* repository) {
  git_reference* found = nullptr;
  if (git.repository_head(&found, repository) != 0) return {};
  const GitReference head(found, git.reference_free);
  return git.reference_is_branch(found) != 0 ? git.reference_shorthand(found) : std::string();
}

/// The status of a repository's files, as selected by `flags`; untracked directories are traversed.
Result<GitStatusList> read_status(const GitLibrary& git, git_repository* repository, unsigned flags,
                                  const std::string& below) {
  git_status_options options;
  git.status_options_init(&options, GIT_STATUS_OPTIONS_VERSION);
  options.show = GIT_STATUS_SHOW_INDEX_AND_WORKDIR;
  options.flags = flags;
  std::string path = below;
  char* paths[] = {path.data()};
  if (!below.empty()) options.pathspec = {paths, 1};
  git_status_list* list = nullptr;
  if (git.status_list_new(&list, repository, &options) != 0) {
    return git_failure(git, "state of the work tree cannot be read");
  }
  return GitStatusList(list, git.status_list_free);
}

Result<bool> is_dirty(const GitLibrary& git, git_repository* repository) {
  if (git.repository_is_bare(repository) != 0) return false;
  // A submodule is dirty if its commit differs, as in `git describe --dirty`, which ignores
  // untracked files by default. Without GIT_STATUS_OPT_UPDATE_INDEX, which writes to the index, and
  // fails if that is locked or read-only.
  TRY(const GitStatusList list, read_status(git, repository, 0, ""));
  for (size_t i = 0; i < git.status_list_entrycount(list.get()); ++i) {
    const git_status_entry* entry = git.status_byindex(list.get(), i);
    if ((entry->status & ~static_cast<unsigned>(GIT_STATUS_IGNORED)) != 0) return true;
  }
  return false;
}

/// Names relative to a directory.
struct Listing {
  std::set<std::string> files;  ///< tracked ones
  std::set<std::string> untracked;
  std::set<std::string> submodules;
  std::set<std::string> absent;  ///< submodules that are not checked out
};

void add_below(const std::string& prefix, std::string_view path, std::set<std::string>& names) {
  if (path.starts_with(prefix)) names.emplace(path.substr(prefix.size()));
}

Done add_tracked(const GitLibrary& git, git_repository* repository, const std::string& prefix,
                 Listing& listing) {
  git_index* opened = nullptr;
  if (git.repository_index(&opened, repository) != 0)
    return git_failure(git, "index cannot be read");
  const GitIndex index(opened, git.index_free);
  for (size_t i = 0; i < git.index_entrycount(opened); ++i) {
    const git_index_entry* entry = git.index_get_byindex(opened, i);
    const bool submodule = entry->mode == GIT_FILEMODE_COMMIT;
    add_below(prefix, entry->path, submodule ? listing.submodules : listing.files);
  }
  return {};
}

Done add_untracked(const GitLibrary& git, git_repository* repository, const std::string& prefix,
                   std::set<std::string>& names) {
  constexpr unsigned kFlags =
      GIT_STATUS_OPT_INCLUDE_UNTRACKED | GIT_STATUS_OPT_RECURSE_UNTRACKED_DIRS |
      GIT_STATUS_OPT_EXCLUDE_SUBMODULES | GIT_STATUS_OPT_DISABLE_PATHSPEC_MATCH;
  const std::string below = prefix.empty() ? "" : prefix.substr(0, prefix.size() - 1);
  TRY(const GitStatusList list, read_status(git, repository, kFlags, below));
  for (size_t i = 0; i < git.status_list_entrycount(list.get()); ++i) {
    const git_status_entry* entry = git.status_byindex(list.get(), i);
    if ((entry->status & GIT_STATUS_WT_NEW) == 0) continue;
    add_below(prefix, entry->index_to_workdir->new_file.path, names);
  }
  return {};
}

/// Whether git tracks a file below the directory; always for the top level.
Result<bool> tracks(const GitLibrary& git, git_repository* repository, const fs::path& directory) {
  if (git.repository_workdir(repository) == nullptr) return true;
  TRY(const std::string prefix, prefix_of(git, repository, directory));
  if (prefix.empty()) return true;
  Listing listing;
  TRY_DONE(add_tracked(git, repository, prefix, listing));
  return !listing.files.empty() || !listing.submodules.empty();
}

/// Lists the files below a directory, names prefixed with `place`; files of a submodule are listed
/// below it.
Done add_files(const GitLibrary& git, const fs::path& directory, const std::string& place,
               const MadeDirectories& made, Listing& found) {
  TRY(const GitRepository repository, open_repository(git, directory));
  TRY(const std::string prefix, prefix_of(git, repository.get(), directory));
  Listing listing;
  TRY_DONE(add_tracked(git, repository.get(), prefix, listing));
  TRY_DONE(add_untracked(git, repository.get(), prefix, listing.untracked));
  for (const std::string& name : listing.untracked) {
    if (!made.contains(place + name)) found.untracked.insert(place + name);
  }
  for (const std::string& name : listing.files) found.files.insert(place + name);
  for (const std::string& name : listing.submodules) {
    // A submodule that is not checked out is an empty directory, where git would find the outer
    // repository.
    std::error_code ignored;
    found.submodules.insert(place + name);
    if (!fs::exists(directory / name / ".git", ignored)) {
      found.absent.insert(place + name);
      continue;
    }
    TRY_DONE(add_files(git, directory / name, place + name + "/", made, found));
  }
  return {};
}

}  // namespace

Result<const GitLibrary*> LibGit2::library() {
  TRY(const GitLibrary* const git, git_library());
  std::call_once(used_, [&] { session_.emplace(*git); });
  return git;
}

Result<ports::GitFacts> LibGit2::facts(const fs::path& directory, ports::WorkTree work_tree) {
  TRY(const GitLibrary* const initialized, library());
  const GitLibrary& git = *initialized;
  TRY(const GitRepository repository, open_repository(git, directory));
  TRY(const GitCommit commit, head_commit(git, repository.get()));
  TRY(GitHistory history, read_history(git, repository.get(), *git.commit_id(commit.get())));
  ports::GitFacts facts;
  const char* top = git.repository_workdir(repository.get());
  facts.root = fs::path(top != nullptr ? top : git.repository_path(repository.get()));
  if (!facts.root.has_filename()) facts.root = facts.root.parent_path();
  facts.commit = git.oid_tostr_s(git.commit_id(commit.get()));
  facts.date =
      std::chrono::system_clock::time_point(std::chrono::seconds(git.commit_time(commit.get())));
  facts.branch = branch_of(git, repository.get());
  facts.tags = std::move(history.tags);
  facts.all_tags = std::move(history.all_tags);
  facts.commit_count = history.commit_count;
  facts.shallow = git.repository_is_shallow(repository.get()) == 1;
  facts.origin = origin_of(git, repository.get());
  TRY(facts.tracks_directory, tracks(git, repository.get(), directory));
  if (work_tree == ports::WorkTree::compare) {
    TRY(facts.dirty, is_dirty(git, repository.get()));
  }
  return facts;
}

Result<ports::GitFiles> LibGit2::files(const fs::path& directory,
                                       const std::vector<fs::path>& made) {
  TRY(const GitLibrary* const git, library());
  TRY(const MadeDirectories below, MadeDirectories::below(directory, made));
  Listing found;
  TRY_DONE(add_files(*git, directory, "", below, found));
  return ports::GitFiles{{found.files.begin(), found.files.end()},
                         {found.untracked.begin(), found.untracked.end()},
                         {found.submodules.begin(), found.submodules.end()},
                         {found.absent.begin(), found.absent.end()}};
}

Result<ports::GitChange> LibGit2::last_change(
    const fs::path& directory, const std::function<bool(std::string_view name)>& counts) {
  TRY(const GitLibrary* const git, library());
  TRY(const GitRepository repository, open_repository(*git, directory));
  TRY(const std::string prefix, prefix_of(*git, repository.get(), directory));
  TRY(GitCommit head, head_commit(*git, repository.get()));
  const GitCommit commit = last_commit_that_changed(*git, std::move(head), {prefix, counts});
  return ports::GitChange{
      git->oid_tostr_s(git->commit_id(commit.get())),
      std::chrono::system_clock::time_point(std::chrono::seconds(git->commit_time(commit.get())))};
}

Result<std::string> text_difference(const std::string& before, const std::string& after,
                                    const std::string& path) {
  TRY(const GitLibrary* const git, git_library());
  const GitSession session(*git);
  git_patch* raw = nullptr;
  const int made = git->patch_from_buffers(&raw, before.data(), before.size(), path.c_str(),
                                           after.data(), after.size(), path.c_str(), nullptr);
  const std::unique_ptr<git_patch, decltype(git->patch_free)> patch(raw, git->patch_free);
  git_buf buffer = {nullptr, 0, 0};
  if (made != 0 || git->patch_to_buf(&buffer, patch.get()) != 0) {
    return fail(ErrorKind::internal, "libgit2 cannot compare two texts");
  }
  std::string text(buffer.ptr, buffer.size);
  git->buf_dispose(&buffer);
  return text;
}

}  // namespace pinwheel::host
