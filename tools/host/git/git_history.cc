// The distance of a tag is the number of commits in HEAD that are not in the tag. Asking git for
// each tag would walk the history once per tag; here every commit has the set of tags it is an
// ancestor of, propagated from children to parents in one topological walk. A set is freed once its
// commit has been processed.
#include "host/git/git_history.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "host/git/git_handle.h"
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

/// Whether a file of interest differs. What cannot be read, as in a partial clone, differs.
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

}  // namespace

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

}  // namespace pinwheel::host
