#include "host/steps/checkpoint.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/digest.h"
#include "base/limits.h"
#include "base/parallel.h"
#include "base/text.h"
#include "host/system/digest_file.h"
#include "host/system/files.h"
#include "host/system/open_regular.h"
#include "host/system/system_error.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;
using std::chrono::system_clock;

constexpr const char* kCheckpointName = "checkpoint";
constexpr const char* kLogOfNinja = ".ninja_log";
constexpr const char* kDepsOfNinja = ".ninja_deps";
constexpr int64_t kNanosecondsPerSecond = 1'000'000'000;
/// The clock that file systems use for times may be behind by this much.
constexpr std::chrono::milliseconds kCoarseClock{20};
/// Places may respond slowly but are not busy.
constexpr unsigned kFetches = 8;

int64_t nanoseconds(const timespec& time) {
  return time.tv_sec * kNanosecondsPerSecond + time.tv_nsec;
}

int64_t current_nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             system_clock::now().time_since_epoch())
      .count();
}

plan::SavedKind kind_of_mode(mode_t mode) {
  if (S_ISDIR(mode)) return plan::SavedKind::directory;
  return S_ISLNK(mode) ? plan::SavedKind::link : plan::SavedKind::file;
}

/// Whether a file is an object, a library, a program, or an archive of them.
bool is_compiled(const fs::path& path) {
  constexpr std::string_view kElf =
      "\x7f"
      "ELF";
  constexpr std::string_view kArchive = "!<arch>\n";
  const std::string first = first_bytes(path, kArchive.size());
  // A file that is being written from its end begins with zeros.
  return first.starts_with(kElf) || first == kArchive || first.find('\0') == 0;
}

/// A directory that the next run would not use: it has another name in each run, or the backend
/// makes it anew.
bool is_passing(const fs::path& directory) {
  const std::string name = directory.filename().string();
  return name.starts_with(".mesonpy-") || name == "CMakeScratch" || name == "CMakeTmp";
}

/// Calls `visit` with the path and the status of everything below a directory, in any order.
/// Files that disappear in the meantime are skipped.
template <class Visit>
void walk(const fs::path& directory, const Visit& visit) {
  std::error_code code;
  std::vector<fs::path> entries;
  for (fs::directory_iterator at(directory, code), end; !code && at != end; at.increment(code)) {
    entries.push_back(at->path());
  }
  for (const fs::path& entry : entries) {
    struct stat status = {};
    if (::lstat(entry.c_str(), &status) != 0) continue;
    const bool known =
        S_ISDIR(status.st_mode) || S_ISLNK(status.st_mode) || S_ISREG(status.st_mode);
    if (!known) continue;
    visit(entry, status);
    if (S_ISDIR(status.st_mode) && !is_passing(entry)) walk(entry, visit);
  }
}

Done set_time(const fs::path& path, int64_t time) {
  const timespec stamp{static_cast<time_t>(time / kNanosecondsPerSecond),
                       static_cast<long>(time % kNanosecondsPerSecond)};
  const std::array<timespec, 2> times = {stamp, stamp};
  if (::utimensat(AT_FDCWD, path.c_str(), times.data(), AT_SYMLINK_NOFOLLOW) == 0) return {};
  return fail(system_error("changed", path, errno));
}

Error failed_with(const fs::path& path, const std::error_code& code) {
  return {ErrorKind::environment, fmt::format("{}: {}", quoted(path.string()), code.message())};
}

/// The compiler caches below the root of a build, relative to it. The source is none.
std::vector<std::string> caches_in(const std::map<std::string, std::string>& variables,
                                   const std::string& root) {
  std::vector<std::string> caches;
  for (const char* const name : {"CCACHE_DIR", "SCCACHE_DIR"}) {
    const std::string path = value_at(variables, name);
    if (!path.starts_with(root + "/")) continue;
    const std::string below = path.substr(root.size() + 1);
    if (below != kSourceName && below != "home") caches.push_back(below);
  }
  return caches;
}

/// Whether a checkpoint that could not be read may be complete. A build from the beginning would
/// replace it, so the step fails instead: `transient` is repeated, and a later run may continue.
bool may_arrive_later(const Error& error) {
  return error.kind == ErrorKind::transient || error.kind == ErrorKind::environment;
}

std::string outputs_of_commands(size_t count) {
  return fmt::format("{} of finished commands", plural(count, "output"));
}

}  // namespace

BuildCheckpoint::BuildCheckpoint(const StepContext& context, const BuildSite& site, std::string key,
                                 const std::map<std::string, std::string>& variables)
    : context_(context),
      key_(std::move(key)),
      root_(site.space.seen(kSourceName).parent_path().string()),
      caches_(caches_in(variables, root_)),
      inputs_(site.space, variables,
              context.machine.host != nullptr ? BuildMachine::image : BuildMachine::host),
      scratch_(context.attempt.scratch / kCheckpointName),
      begun_(context.machine.clock.steady()) {
  record_source();
}

fs::path BuildCheckpoint::real(const std::string& path) const {
  return context_.attempt.scratch / path;
}

std::chrono::milliseconds BuildCheckpoint::spent() const {
  const auto now = context_.machine.clock.steady();
  return earlier_ + std::chrono::duration_cast<std::chrono::milliseconds>(now - begun_);
}

Result<BuildCheckpoint::FileState> BuildCheckpoint::state_of(const fs::path& path) {
  struct stat status = {};
  if (::lstat(path.c_str(), &status) != 0) return fail(system_error("read", path, errno));
  return FileState{status.st_dev, status.st_ino, nanoseconds(status.st_mtim),
                   static_cast<uint64_t>(status.st_size)};
}

void BuildCheckpoint::record_source() {
  source_.clear();
  walk(real(kSourceName), [this](const fs::path& path, const struct stat& status) {
    source_[path.lexically_relative(context_.attempt.scratch).string()] = {
        status.st_dev, status.st_ino, nanoseconds(status.st_mtim),
        static_cast<uint64_t>(status.st_size)};
  });
}

void BuildCheckpoint::start_again() {
  record_source();
  inputs_.start_again();
  restored_ = 0;
  begun_ = context_.machine.clock.steady();
  earlier_ = std::chrono::milliseconds(0);
  resumed_commands_ = 0;
  saved_commands_ = 0;
  saved_text_.clear();
}

std::vector<BuildCheckpoint::Found> BuildCheckpoint::made_files() const {
  std::vector<Found> all;
  const auto add = [&](const fs::path& path, const struct stat& status) {
    const FileState state{status.st_dev, status.st_ino, nanoseconds(status.st_mtim),
                          static_cast<uint64_t>(status.st_size)};
    const std::string name = path.lexically_relative(context_.attempt.scratch).string();
    const plan::SavedKind kind = kind_of_mode(status.st_mode);
    const bool directory = kind == plan::SavedKind::directory;
    const auto before = source_.find(name);
    const bool of_source = before != source_.end() && before->second == state;
    // The directory may contain files that the build made.
    if (directory ? is_passing(path) : of_source) return;
    const bool compiled = kind == plan::SavedKind::file && is_compiled(path);
    all.push_back({{name, kind, state.mtime, compiled, nanoseconds(status.st_ctim)},
                   state,
                   status.st_mode & 07777U});
  };
  walk(real(kSourceName), add);
  if (!caches_.empty()) walk(real("home"), add);
  std::ranges::sort(all, {}, [](const Found& found) { return fs::path(found.made.path); });
  return all;
}

Result<std::vector<plan::NinjaDirectory>> BuildCheckpoint::ninja_directories() const {
  std::vector<fs::path> paths;
  walk(real(kSourceName), [&](const fs::path& path, const struct stat& status) {
    if (path.filename() == kLogOfNinja && S_ISREG(status.st_mode)) {
      paths.push_back(path.parent_path());
    }
  });
  std::vector<plan::NinjaDirectory> directories;
  for (const fs::path& path : paths) {
    plan::NinjaDirectory directory;
    directory.path = path.lexically_relative(context_.attempt.scratch).string();
    // Ninja writes the record of a command before its inputs. So the log is read first: it never
    // has a command whose inputs are not read.
    TRY(const FileState log, state_of(path / kLogOfNinja));
    directory.log_mtime = log.mtime;
    TRY(directory.log, read_plain_file(path / kLogOfNinja, limits::kFile));
    if (const auto manifest = state_of(path / "build.ninja")) {
      directory.manifest_mtime = manifest->mtime;
      TRY(const std::string text, read_plain_file(path / "build.ninja", limits::kFile));
      TRY(directory.manifest, plan::parse_ninja_manifest(text, [&](const std::string& name) {
            return included_text(directory, name);
          }));
    }
    if (state_of(path / kDepsOfNinja)) {
      TRY(directory.deps, read_plain_file(path / kDepsOfNinja, limits::kFile));
    }
    directories.push_back(std::move(directory));
  }
  return directories;
}

Result<std::string> BuildCheckpoint::included_text(const plan::NinjaDirectory& directory,
                                                   const std::string& name) const {
  const std::string path = plan::below_root(directory, name, root_);
  const fs::path file = path.starts_with('/') ? fs::path(path) : real(path);
  if (context_.machine.host == nullptr) return read_regular_file(file, limits::kFile);
  // A link leads to another file here than in the image.
  std::error_code code;
  const fs::path expected = fs::canonical(context_.attempt.scratch, code) / path;
  if (path.starts_with('/') || fs::canonical(file, code) != expected) {
    return fail(ErrorKind::check,
                fmt::format("`build.ninja` includes {}, a file of the image", quoted(path)));
  }
  return read_plain_file(file, limits::kFile);
}

Result<std::string> BuildCheckpoint::digest_of(const fs::path& path, const FileState& state) {
  const auto known = digests_.find(path);
  if (known != digests_.end() && known->second.first == state) return known->second.second;
  TRY(const FileDigest digest, digest_file(path));
  digests_[path] = {state, digest.sha256};
  return digest.sha256;
}

Result<BuildCheckpoint::Added> BuildCheckpoint::add_file(const Found& found,
                                                         plan::Checkpoint& checkpoint,
                                                         run::CheckpointFiles& files) {
  plan::SavedFile file{found.made.path, found.made.kind, found.mode, found.state.mtime};
  const fs::path path = real(file.path);
  if (file.kind == plan::SavedKind::link) {
    std::error_code code;
    file.target = fs::read_symlink(path, code).string();
    if (code) return Added::changed;
  }
  if (file.kind == plan::SavedKind::file) {
    file.size = found.state.size;
    const Result<std::string> digest = digest_of(path, found.state);
    const Result<FileState> after = state_of(path);
    if (!digest || !after || *after != found.state) {
      digests_.erase(path);
      return Added::changed;
    }
    file.sha256 = *digest;
    files[file.sha256] = path;
  }
  checkpoint.files.push_back(std::move(file));
  return Added::yes;
}

Done BuildCheckpoint::add_log(const Found& found, const std::string& text,
                              plan::Checkpoint& checkpoint, run::CheckpointFiles& files) const {
  const std::string sha256 = sha256_hex(text);
  TRY_DONE(LocalFiles().write(scratch_ / sha256, text));
  files[sha256] = scratch_ / sha256;
  checkpoint.files.push_back(
      {found.made.path, plan::SavedKind::file, found.mode, found.state.mtime, text.size(), sha256});
  return {};
}

Result<plan::Checkpoint> BuildCheckpoint::snapshot(run::CheckpointFiles& files) {
  plan::BuildDirectories directories{root_, {}, caches_, restored_};
  TRY(directories.ninja, ninja_directories());
  const std::vector<Found> found = made_files();
  std::vector<plan::MadeFile> made;
  made.reserve(found.size());
  for (const Found& each : found) made.push_back(each.made);
  TRY(const plan::CompleteFiles complete, plan::complete_files(made, directories));
  if (complete.commands == 0) return fail(ErrorKind::check, "no output of a command is complete");
  plan::Checkpoint checkpoint{complete.commands, key_, root_};
  for (const size_t index : complete.files) {
    TRY_DONE(check_not_stopped(context_.stop));
    const fs::path path = made[index].path;
    const auto directory = std::ranges::find(directories.ninja, path.parent_path().string(),
                                             &plan::NinjaDirectory::path);
    const bool log = path.filename() == kLogOfNinja || path.filename() == kDepsOfNinja;
    if (log && directory != directories.ninja.end()) {
      const std::string& text = path.filename() == kLogOfNinja ? directory->log : directory->deps;
      TRY_DONE(add_log(found[index], text, checkpoint, files));
      continue;
    }
    TRY(const Added added, add_file(found[index], checkpoint, files));
    if (added == Added::yes || plan::is_in_any(made[index].path, caches_)) continue;
    return fail(ErrorKind::check, fmt::format("{} changes", quoted(made[index].path)));
  }
  TRY(checkpoint.inputs, inputs_.digests(complete, context_.stop));
  return checkpoint;
}

Done BuildCheckpoint::save() {
  LocalFiles disk;
  TRY_DONE(disk.make_directories(scratch_));
  run::CheckpointFiles files;
  TRY(plan::Checkpoint checkpoint, snapshot(files));
  std::string state = plan::to_json(checkpoint);
  if (state == saved_text_) return {};
  checkpoint.spent = spent();
  const fs::path manifest = scratch_ / "manifest.json";
  const std::string text = plan::to_json(checkpoint);
  const Result<plan::Checkpoint> read = plan::parse_checkpoint(text);
  if (!read || *read != checkpoint) {
    return fail(ErrorKind::check, "a file has a name that is not UTF-8");
  }
  if (text.size() > limits::kFile.most) {
    return fail(ErrorKind::check, fmt::format("the list of {} is too long to be read again",
                                              plural(checkpoint.files.size(), "file")));
  }
  TRY_DONE(disk.write(manifest, text));
  TRY(number_,
      context_.attempt.checkpoints->save({context_.attempt.step->id, key_, manifest}, files));
  saved_text_ = std::move(state);
  saved_commands_ = checkpoint.commands;
  append_log(context_, fmt::format("pinwheel: saved checkpoint {} with {}\n", number_,
                                   outputs_of_commands(saved_commands_)));
  return {};
}

void BuildCheckpoint::forget() {
  if (number_ > 0) context_.attempt.checkpoints->forget(context_.attempt.step->id, key_);
}

Done BuildCheckpoint::check_usable(const plan::Checkpoint& checkpoint) {
  if (checkpoint.key != key_) {
    return fail(ErrorKind::check, "it belongs to a build with other inputs");
  }
  if (checkpoint.root != root_) {
    refusal_ = Error{ErrorKind::check, fmt::format("its build was in {}, and this one is in {}",
                                                   quoted(checkpoint.root), quoted(root_))};
    return fail(*refusal_);
  }
  return inputs_.compare(checkpoint.inputs, context_.stop);
}

Done BuildCheckpoint::fetch_files(const plan::Checkpoint& checkpoint) {
  std::map<std::string, uint64_t> sizes;
  for (const plan::SavedFile& file : checkpoint.files) {
    if (file.kind == plan::SavedKind::file) sizes[file.sha256] = file.size;
  }
  const std::vector<std::pair<std::string, uint64_t>> blobs(sizes.begin(), sizes.end());
  const auto fetch = [&](size_t i) {
    return context_.attempt.checkpoints->fetch(blobs[i].first, blobs[i].second,
                                               scratch_ / blobs[i].first);
  };
  return try_jobs(std::vector<uint64_t>(blobs.size(), 1), {.threads = kFetches}, fetch);
}

Done BuildCheckpoint::place(const plan::SavedFile& file) const {
  const fs::path target = real(file.path);
  std::error_code code;
  // The build may have replaced a directory of the source.
  const bool directory = fs::symlink_status(target, code).type() == fs::file_type::directory;
  if (file.kind != plan::SavedKind::directory || !directory) fs::remove_all(target, code);
  if (file.kind == plan::SavedKind::directory) {
    fs::create_directory(target, code);
  } else if (file.kind == plan::SavedKind::link) {
    fs::create_symlink(file.target, target, code);
  } else {
    // A file from a store may be a link to the store's own.
    fs::copy_file(scratch_ / file.sha256, target, code);
  }
  return code ? Done(fail(failed_with(target, code))) : Done();
}

Done BuildCheckpoint::set_status(const plan::SavedFile& file, int64_t time) const {
  const fs::path path = real(file.path);
  std::error_code code;
  if (file.kind != plan::SavedKind::link) {
    fs::permissions(path, static_cast<fs::perms>(file.mode), code);
  }
  if (code) return fail(failed_with(path, code));
  return set_time(path, time);
}

Result<int64_t> BuildCheckpoint::place_files(const plan::Checkpoint& checkpoint) const {
  for (const plan::SavedFile& file : checkpoint.files) TRY_DONE(place(file));
  std::vector<plan::NinjaDirectory> directories;
  for (const plan::SavedFile& file : checkpoint.files) {
    if (fs::path(file.path).filename() != kLogOfNinja) continue;
    plan::NinjaDirectory directory{fs::path(file.path).parent_path().string()};
    TRY(directory.log, read_plain_file(real(file.path), limits::kFile));
    const fs::path deps = real(directory.path) / kDepsOfNinja;
    if (state_of(deps)) {
      TRY(directory.deps, read_plain_file(deps, limits::kFile));
    }
    directories.push_back(std::move(directory));
  }
  const plan::OrderedTimes times(checkpoint, directories, current_nanoseconds());
  const auto time = [&times](int64_t old) { return times(old); };
  LocalFiles disk;
  for (const plan::NinjaDirectory& directory : directories) {
    const fs::path path = real(directory.path);
    TRY_DONE(disk.write(path / kLogOfNinja, plan::with_new_times_log(directory.log, time)));
    if (directory.deps.empty()) continue;
    TRY(const std::string deps, plan::with_new_times_deps(directory.deps, time));
    TRY_DONE(disk.write(path / kDepsOfNinja, deps));
  }
  // A directory is before its files, and may become read-only.
  for (size_t i = checkpoint.files.size(); i-- > 0;) {
    const plan::SavedFile& file = checkpoint.files[i];
    TRY_DONE(set_status(file, times(file.mtime)));
  }
  const auto last = std::chrono::nanoseconds(times.last() - current_nanoseconds());
  std::this_thread::sleep_for(std::max(last, std::chrono::nanoseconds(0)) + kCoarseClock);
  return times.last();
}

Done BuildCheckpoint::resume() {
  LocalFiles disk;
  TRY_DONE(disk.make_directories(scratch_));
  const fs::path text = scratch_ / "restored.json";
  const auto from_beginning = [this, &disk](const std::string& why) {
    static_cast<void>(disk.remove_all(scratch_));
    append_log(context_, fmt::format("pinwheel: the build starts from the beginning: {}\n", why));
    return Done();
  };
  const Result<std::optional<uint64_t>> found =
      context_.attempt.checkpoints->find(context_.attempt.step->id, key_, text);
  TRY_DONE(check_not_stopped(context_.stop));
  if (!found && may_arrive_later(found.error())) return fail(found.error());
  if (!found) return from_beginning(found.error().message);
  if (!*found) return from_beginning("there is no checkpoint of a build with these inputs");
  number_ = **found;
  const auto refused = [&](const Error& error) {
    return from_beginning(fmt::format("checkpoint {} is refused: {}", number_, error.message));
  };
  const Result<std::string> json = read_regular_file(text, limits::kFile);
  if (!json) return refused(json.error());
  const Result<plan::Checkpoint> checkpoint = plan::parse_checkpoint(*json);
  if (!checkpoint) return refused(checkpoint.error());
  const auto unusable = [&](const Error& error) -> Done {
    TRY_DONE(check_not_stopped(context_.stop));
    if (may_arrive_later(error)) return fail(error);
    return refused(error);
  };
  if (const Done usable = check_usable(*checkpoint); !usable) return unusable(usable.error());
  if (const Done fetched = fetch_files(*checkpoint); !fetched) return unusable(fetched.error());
  TRY(restored_, place_files(*checkpoint));
  TRY_DONE(disk.remove_all(scratch_));
  earlier_ = checkpoint->spent;
  resumed_commands_ = checkpoint->commands;
  append_log(context_, fmt::format("pinwheel: the build continues from checkpoint {} with {}\n",
                                   number_, outputs_of_commands(resumed_commands_)));
  return {};
}

namespace {

/// Saves, and logs why that was not possible.
void try_to_save(BuildCheckpoint& checkpoint, const StepContext& context) {
  std::string why;
  try {
    const Done saved = checkpoint.save();
    if (saved) return;
    why = saved.error().message;
  } catch (const std::exception& thrown) {
    why = thrown.what();
  }
  append_log(context, fmt::format("pinwheel: no checkpoint was saved: {}\n", why));
}

}  // namespace

PeriodicSaves::PeriodicSaves(BuildCheckpoint& checkpoint, const StepContext& context,
                             std::chrono::milliseconds every)
    : thread_([this, &checkpoint, &context, every](const std::stop_token& stop) {
        std::unique_lock<std::mutex> lock(mutex_);
        while (!stop.stop_requested()) {
          changed_.wait_for(lock, stop, every, [] { return false; });
          if (!stop.stop_requested()) try_to_save(checkpoint, context);
        }
      }) {}

}  // namespace pinwheel::host
