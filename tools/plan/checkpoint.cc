#include "plan/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/digest.h"
#include "base/json.h"
#include "base/text.h"

namespace pinwheel::plan {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCheckpointSchema = "pinwheel-checkpoint/2";
constexpr std::array<std::pair<SavedKind, std::string_view>, 3> kKinds = {
    {{SavedKind::file, "file"}, {SavedKind::directory, "directory"}, {SavedKind::link, "link"}}};
/// No build takes a year.
constexpr std::chrono::hours kMostSpent{365 * 24};
constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kMicrosecond = 1'000;
/// Of the times that ninja records, compared with those of files.
constexpr int64_t kInaccuracy = 100 * kMillisecond;

[[noreturn]] void reject_checkpoint(const std::string& why) {
  throw std::invalid_argument(why);
}

/// The directories of a build that a checkpoint may write to.
constexpr std::array<std::string_view, 2> kRoots = {"src", "home"};

bool stays_in_build(const std::string& path) {
  const bool inside = path.starts_with("src/") || path.starts_with("home/");
  return inside && path.find('\0') == std::string::npos &&
         fs::path(path).lexically_normal().string() == path && !path.ends_with('/');
}

nlohmann::json saved_json(const SavedFile& file) {
  nlohmann::json json = {{"path", file.path}, {"mode", file.mode}, {"mtime", file.mtime}};
  for (const auto& [kind, name] : kKinds) {
    if (kind == file.kind) json["kind"] = name;
  }
  if (file.kind == SavedKind::link) json["target"] = file.target;
  if (file.kind == SavedKind::file) {
    json["size"] = file.size;
    json["sha256"] = file.sha256;
  }
  return json;
}

SavedFile saved_from(const nlohmann::json& json) {
  SavedFile file;
  file.path = json.at("path").get<std::string>();
  if (!stays_in_build(file.path)) reject_checkpoint(quoted(file.path) + " is not in the build");
  const std::string kind = json.at("kind").get<std::string>();
  const auto* const found =
      std::ranges::find(kKinds, std::string_view(kind), &decltype(kKinds)::value_type::second);
  if (found == kKinds.end()) reject_checkpoint(quoted(kind) + " is not a kind of file");
  file.kind = found->first;
  file.mode = json.at("mode").get<uint32_t>() & 07777U;
  file.mtime = json.at("mtime").get<int64_t>();
  if (file.kind == SavedKind::link) file.target = json.at("target").get<std::string>();
  if (file.kind == SavedKind::file) {
    file.size = json.at("size").get<uint64_t>();
    file.sha256 = json.at("sha256").get<std::string>();
    if (!is_sha256_hex(file.sha256)) reject_checkpoint(quoted(file.path) + " has no sha256");
  }
  return file;
}

/// Each file is in a directory that is listed before it, or in a root.
void check_parents(const std::vector<SavedFile>& files) {
  std::set<std::string> directories(kRoots.begin(), kRoots.end());
  std::set<std::string> seen;
  for (const SavedFile& file : files) {
    const std::string parent = fs::path(file.path).parent_path().string();
    if (!directories.contains(parent)) {
      reject_checkpoint(quoted(file.path) + " is in no known directory");
    }
    if (!seen.insert(file.path).second) reject_checkpoint(quoted(file.path) + " is listed twice");
    if (file.kind == SavedKind::directory) directories.insert(file.path);
  }
}

Checkpoint checkpoint_from(const nlohmann::json& json) {
  if (json.at("schema").get<std::string>() != kCheckpointSchema) {
    reject_checkpoint("its schema is not " + quoted(std::string(kCheckpointSchema)));
  }
  Checkpoint checkpoint;
  checkpoint.commands = json.at("commands").get<uint64_t>();
  checkpoint.key = json.at("key").get<std::string>();
  checkpoint.root = json.at("root").get<std::string>();
  for (const nlohmann::json& file : json.at("files")) checkpoint.files.push_back(saved_from(file));
  check_parents(checkpoint.files);
  checkpoint.inputs = json.at("inputs").get<std::map<std::string, std::string>>();
  checkpoint.spent = std::chrono::milliseconds(json.at("spent-ms").get<int64_t>());
  if (checkpoint.spent.count() < 0 || checkpoint.spent > kMostSpent) {
    reject_checkpoint("its recorded build time is invalid");
  }
  return checkpoint;
}

bool is_in(const std::string& path, const std::string& directory) {
  return path.size() > directory.size() && path.starts_with(directory) &&
         path[directory.size()] == '/';
}

/// When ninja's last run started, or an earlier time. Each command of the run gives an estimate.
/// The time of an output gives an estimate that is too early, so the latest one is the closest. The
/// start of a command gives the time itself or (see `NinjaEntry::mtime`) a later one, so the
/// earliest one is right. The log does not say where a run begins, but a run begins after its
/// `build.ninja` was written.
int64_t before_last_run(const NinjaDirectory& directory, const std::vector<NinjaEntry>& entries,
                        int64_t restored) {
  const int64_t least = std::max(directory.manifest_mtime, restored);
  const bool early = records_outputs(directory.log);
  std::optional<int64_t> begun;
  for (const NinjaEntry& entry : entries) {
    if (entry.mtime == 0 || entry.mtime < least) continue;
    const int64_t start = entry.mtime - (early ? entry.end : entry.start) * kMillisecond;
    if (!begun) begun = start;
    begun = early ? std::max(*begun, start) : std::min(*begun, start);
  }
  return std::max(directory.manifest_mtime, begun.value_or(0));
}

/// When the output of a finished command was last written, at the latest; nullopt: not recorded.
/// Restored files have new times, and so do the records, but not their durations.
std::optional<int64_t> written_until(const NinjaDirectory& directory, const NinjaEntry& entry,
                                     int64_t restored) {
  if (entry.mtime == 0) return std::nullopt;
  if (entry.mtime <= restored) return restored;
  if (records_outputs(directory.log)) return entry.mtime;
  return entry.mtime + (entry.end - entry.start) * kMillisecond;
}

/// The first and the last moment of a command.
using CommandSpan = std::pair<int64_t, int64_t>;

/// When the commands ran that have finished since the build began or continued. Version 5 of the
/// log has the times of outputs, which commands write at their end.
std::vector<CommandSpan> spans_of(const NinjaDirectory& directory,
                                  const std::vector<NinjaEntry>& entries, int64_t restored) {
  const bool early = records_outputs(directory.log);
  std::vector<CommandSpan> spans;
  spans.reserve(entries.size());
  for (const NinjaEntry& entry : entries) {
    if (entry.mtime <= restored) continue;
    const int64_t took = (entry.end - entry.start) * kMillisecond;
    spans.emplace_back(early ? entry.mtime - took : entry.mtime,
                       early ? entry.mtime : entry.mtime + took);
  }
  return spans;
}

/// What a log of ninja says about the files in its directory.
struct NinjaFacts {
  const NinjaDirectory* directory = nullptr;
  /// Outputs of finished commands, relative to the root, and when they were written at the latest.
  std::map<std::string, std::optional<int64_t>> finished = {};
  std::set<std::string> declared = {};
  int64_t started = 0;
  bool has_news = false;  ///< a command has finished since the build began
  std::vector<CommandSpan> spans = {};

  /// Whether a finished command may have made something at a time.
  bool may_have_made(int64_t time) const {
    if (spans.empty()) return false;
    if (time >= started && time <= directory->log_mtime) return true;
    return std::ranges::any_of(spans, [time](const CommandSpan& span) {
      return time >= span.first && time <= span.second;
    });
  }
  bool knows(const std::string& path) const {
    return finished.contains(path) || declared.contains(path);
  }
  /// Whether a file is the output of a finished command, as the command left it.
  bool has_finished(const MadeFile& file) const {
    const auto found = finished.find(file.path);
    if (found == finished.end()) return false;
    return !found->second || file.mtime <= *found->second + kInaccuracy;
  }
  bool is_own(const std::string& path) const {
    return path == directory->path + "/.ninja_log" || path == directory->path + "/.ninja_deps" ||
           path == directory->path + "/build.ninja";
  }
};

/// The name that `ar` gives a file that it writes, stXXXXXX with random letters and digits.
bool is_of_ar(const std::string& name) {
  const auto marked = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); };
  return name.size() == 8 && name.starts_with("st") && name.find('.') == std::string::npos &&
         std::ranges::any_of(name, marked);
}

/// Files that compilers and ninja write next to outputs and remove when a command ends.
bool is_temporary(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  constexpr std::array<std::string_view, 4> kSuffixes = {".d", ".tmp", ".rsp", ".lock"};
  const bool suffix =
      std::ranges::any_of(kSuffixes, [&](std::string_view each) { return name.ends_with(each); });
  return suffix || name.starts_with(".ninja_") || is_of_ar(name);
}

/// Whether a file lists the inputs of a finished output.
bool is_list_of_inputs(const NinjaFacts& facts, const std::string& path) {
  return path.ends_with(".d") && facts.finished.contains(path.substr(0, path.size() - 2));
}

enum class Completeness { complete, unfinished, unknown };

/// The directories of ninja that a file is in, the innermost first.
std::vector<const NinjaFacts*> enclosing(const std::vector<NinjaFacts>& all,
                                         const std::string& path) {
  std::vector<const NinjaFacts*> found;
  for (const NinjaFacts& facts : all) {
    if (is_in(path, facts.directory->path)) found.push_back(&facts);
  }
  std::ranges::sort(found, std::greater(),
                    [](const NinjaFacts* facts) { return facts->directory->path.size(); });
  return found;
}

/// Of a file in at least one directory of ninja.
Completeness completeness_in(const std::vector<const NinjaFacts*>& around, const MadeFile& file) {
  const NinjaFacts& facts = *around.front();
  const bool known =
      facts.is_own(file.path) || facts.has_finished(file) || is_list_of_inputs(facts, file.path);
  if (known) return Completeness::complete;
  if (facts.finished.contains(file.path)) return Completeness::unfinished;
  // CMake declares its own files as outputs, too. If a ninja has run while CMake configured, its
  // files are from before the outer ninja started.
  for (const NinjaFacts* const each : around) {
    if (file.mtime < each->started) return Completeness::complete;
  }
  if (facts.declared.contains(file.path)) return Completeness::unfinished;
  // Made after the last command that the log has: by a running command, or by the backend.
  const bool later = file.mtime > facts.directory->log_mtime;
  return later || is_temporary(file.path) ? Completeness::unfinished : Completeness::unknown;
}

/// Whether a file outside of all directories of ninja is made again if it is missing: by ninja, or
/// by the backend.
bool is_made_again(const std::vector<NinjaFacts>& all, const MadeFile& file) {
  if (is_temporary(file.path)) return true;
  const bool known =
      std::ranges::any_of(all, [&file](const NinjaFacts& facts) { return facts.knows(file.path); });
  return known || std::ranges::none_of(all, [&file](const NinjaFacts& facts) {
           return facts.may_have_made(file.mtime) || facts.may_have_made(file.changed);
         });
}

/// Of a file in a compiler cache. Caches write temporary files, and rename them.
bool is_complete_in_cache(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  const bool temporary = path.find("/tmp/") != std::string::npos ||
                         name.find(".tmp") != std::string::npos || name.ends_with(".lock");
  return !temporary;
}

Error unknown_file(const MadeFile& file) {
  return Error{ErrorKind::check,
               fmt::format("a command of ninja made {}, but ninja does not know the file",
                           quoted(file.path))}
      .with_hint("declare it as an output of the command, or as its byproduct");
}

/// Adds what the commands of a directory read outside the root.
void add_declared(const NinjaDirectory& directory, const std::set<std::string>& outputs,
                  const std::string& root, NinjaReads& declared) {
  NinjaReads reads = ninja_reads(directory.manifest, outputs);
  for (const std::string& file : reads.files) {
    std::string path = below_root(directory, file, root);
    if (path.starts_with('/')) declared.files.insert(std::move(path));
  }
  declared.libraries.merge(reads.libraries);
  for (const std::string& name : reads.library_directories) {
    std::string path = below_root(directory, name, root);
    std::vector<std::string>& known = declared.library_directories;
    const bool more = path.starts_with('/') && std::ranges::find(known, path) == known.end();
    if (more) known.push_back(std::move(path));
  }
}

Result<NinjaFacts> ninja_facts_of(const NinjaDirectory& directory, const BuildDirectories& build,
                                  CompleteFiles& complete) {
  const std::string& root = build.root;
  NinjaFacts facts{&directory};
  const std::vector<NinjaEntry> entries = ninja_entries(directory.log);
  std::set<std::string> outputs;
  for (const NinjaEntry& entry : entries) {
    outputs.insert(entry.output);
    facts.has_news = facts.has_news || entry.mtime == 0 || entry.mtime > build.restored;
    facts.finished[below_root(directory, entry.output, root)] =
        written_until(directory, entry, build.restored);
  }
  for (const std::string& output : ninja_outputs(directory.manifest)) {
    facts.declared.insert(below_root(directory, output, root));
  }
  facts.started = before_last_run(directory, entries, build.restored);
  facts.spans = spans_of(directory, entries, build.restored);
  add_declared(directory, outputs, root, complete.declared);
  if (!directory.deps.empty()) {
    TRY(const std::set<std::string> inputs, ninja_inputs(directory.deps, outputs));
    for (const std::string& input : inputs) {
      complete.inputs.insert(below_root(directory, input, root));
    }
  }
  return facts;
}

}  // namespace

std::string to_json(const Checkpoint& checkpoint) {
  nlohmann::json files = nlohmann::json::array();
  for (const SavedFile& file : checkpoint.files) files.push_back(saved_json(file));
  const nlohmann::json json = {{"schema", kCheckpointSchema},
                               {"commands", checkpoint.commands},
                               {"key", checkpoint.key},
                               {"root", checkpoint.root},
                               {"files", std::move(files)},
                               {"inputs", checkpoint.inputs},
                               {"spent-ms", checkpoint.spent.count()}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Result<Checkpoint> parse_checkpoint(std::string_view text) {
  try {
    return checkpoint_from(parse_json(text));
  } catch (const std::exception& thrown) {
    return fail(ErrorKind::check, fmt::format("the checkpoint is damaged: {}", thrown.what()));
  }
}

std::string below_root(const NinjaDirectory& directory, const std::string& name,
                       const std::string& root) {
  const bool absolute = name.starts_with('/');
  if (absolute && !name.starts_with(root + "/")) return name;
  const fs::path path =
      absolute ? fs::path(name.substr(root.size() + 1)) : fs::path(directory.path) / name;
  std::string below = path.lexically_normal().string();
  if (!below.starts_with("../")) return below;
  return (fs::path(root) / below).lexically_normal().string();
}

bool is_in_any(const std::string& path, const std::vector<std::string>& directories) {
  return std::ranges::any_of(
      directories, [&path](const std::string& directory) { return is_in(path, directory); });
}

namespace {

/// The facts of all directories, and when the backend started the last ninja that is in no other
/// one's directory.
struct AllNinjaFacts {
  std::vector<NinjaFacts> all = {};
  int64_t started = 0;
};

Completeness completeness_of(const MadeFile& file, const AllNinjaFacts& ninja,
                             const BuildDirectories& directories) {
  const auto complete_if = [](bool complete) {
    return complete ? Completeness::complete : Completeness::unfinished;
  };
  if (file.kind == SavedKind::directory) return Completeness::complete;
  if (is_in_any(file.path, directories.caches)) return complete_if(is_complete_in_cache(file.path));
  const std::vector<const NinjaFacts*> around = enclosing(ninja.all, file.path);
  if (!around.empty()) return completeness_in(around, file);
  if (!file.path.starts_with("src/")) return Completeness::unfinished;
  if (!file.compiled && file.mtime < ninja.started) return Completeness::complete;
  return is_made_again(ninja.all, file) ? Completeness::unfinished : Completeness::unknown;
}

}  // namespace

Result<CompleteFiles> complete_files(const std::vector<MadeFile>& made,
                                     const BuildDirectories& directories) {
  if (directories.ninja.empty()) {
    return fail(ErrorKind::check, "there is no build directory of ninja in the source",
                "let the backend use ninja, and give it a build directory in the source, such as "
                "`build-dir` of scikit-build-core and meson-python");
  }
  CompleteFiles complete;
  AllNinjaFacts ninja;
  ninja.all.reserve(directories.ninja.size());
  for (const NinjaDirectory& directory : directories.ninja) {
    TRY(NinjaFacts facts, ninja_facts_of(directory, directories, complete));
    const bool nested = std::ranges::any_of(directories.ninja, [&](const NinjaDirectory& other) {
      return is_in(directory.path, other.path);
    });
    if (!nested) ninja.started = std::max(ninja.started, facts.started);
    ninja.all.push_back(std::move(facts));
  }
  if (std::ranges::none_of(ninja.all, &NinjaFacts::has_news)) {
    return fail(ErrorKind::check, "no command of ninja has finished");
  }
  for (size_t i = 0; i < made.size(); ++i) {
    const Completeness completeness = completeness_of(made[i], ninja, directories);
    if (completeness == Completeness::unknown) return fail(unknown_file(made[i]));
    if (completeness == Completeness::unfinished) continue;
    complete.files.push_back(i);
    const bool finished = std::ranges::any_of(
        ninja.all, [&](const NinjaFacts& facts) { return facts.has_finished(made[i]); });
    if (finished) ++complete.commands;
  }
  return complete;
}

OrderedTimes::OrderedTimes(const Checkpoint& checkpoint,
                           const std::vector<NinjaDirectory>& directories, int64_t first)
    : first_(first) {
  for (const SavedFile& file : checkpoint.files) times_.push_back(file.mtime);
  for (const NinjaDirectory& directory : directories) {
    const auto record = [this](int64_t time) {
      times_.push_back(time);
      return time;
    };
    static_cast<void>(with_new_times_log(directory.log, record));
    if (!directory.deps.empty()) static_cast<void>(with_new_times_deps(directory.deps, record));
  }
  std::ranges::sort(times_);
  times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
}

int64_t OrderedTimes::operator()(int64_t time) const {
  const auto after = std::ranges::upper_bound(times_, time);
  const auto rank = std::max<std::ptrdiff_t>(after - times_.begin() - 1, 0);
  return first_ + rank * kMicrosecond;
}

int64_t OrderedTimes::last() const {
  return first_ + static_cast<int64_t>(times_.size()) * kMicrosecond;
}

}  // namespace pinwheel::plan
