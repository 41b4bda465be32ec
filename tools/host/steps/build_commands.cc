#include "host/steps/build_commands.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "base/limits.h"
#include "base/text.h"
#include "host/system/open_regular.h"
#include "host/system/process_watch.h"
#include "plan/cache_output.h"
#include "plan/cmake_snippet.h"
#include "plan/command_kind.h"
#include "plan/compiler_profile.h"
#include "plan/ninja_log.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStatsLog = "CCACHE_STATSLOG";
constexpr const char* kStatsName = "ccache-stats";
constexpr const char* kProfileName = "nvcc-phases.csv";
constexpr const char* kNinjaLog = ".ninja_log";
constexpr ByteLimit kTimeTrace{"a time trace of clang", 16 * limits::kMega};
constexpr ByteLimit kSnippet{"a snippet of CMake's instrumentation", limits::kMega};

/// The text of a file of the build; empty if it cannot be read or is too large.
std::string text_of_build(const fs::path& path, const ByteLimit& limit = limits::kFile) {
  return read_plain_file(path, limit).value_or(std::string());
}

/// One source of a trace: if it fails, the others are still read.
template <typename Part>
void read_source(const Part& part) {
  try {
    part();
  } catch (const std::exception&) {
    // A trace is worth less than the build.
  }
}

/// When a file was written; nullopt if it does not exist.
std::optional<plan::TraceTime> time_of_file(const fs::path& path) {
  std::error_code error;
  const fs::file_time_type written = fs::last_write_time(path, error);
  if (error) return std::nullopt;
  const auto time = fs::file_time_type::clock::to_sys(written);
  return std::chrono::floor<std::chrono::milliseconds>(time);
}

/// The same for each path of a directory, also in another mount namespace and after its removal.
std::string identity_of(const fs::path& directory) {
  struct stat status = {};
  if (::stat(directory.c_str(), &status) != 0) return directory.string();
  return fmt::format("{}:{}", status.st_dev, status.st_ino);
}

/// `<build>/.cmake/instrumentation/v1/data`; before CMake 4.3, `instrumentation-` and an id.
bool is_snippet(const fs::path& file) {
  const fs::path data = file.parent_path();
  const fs::path version = data.parent_path();
  const fs::path base = version.parent_path();
  return file.extension() == ".json" && data.filename() == "data" && version.filename() == "v1" &&
         base.filename().string().starts_with("instrumentation") &&
         base.parent_path().filename() == ".cmake";
}

bool is_time_trace(const fs::path& file) {
  if (file.extension() != ".json") return false;
  std::error_code error;
  fs::path object = file;
  return fs::is_regular_file(object.replace_extension(".o"), error);
}

/// Whether the parts of `end` are the last ones of `path`.
bool is_end_of(std::string_view end, std::string_view path) {
  if (!path.ends_with(end)) return false;
  return path.size() == end.size() || path[path.size() - end.size() - 1] == '/';
}

bool is_profiled(const StepContext& context) {
  const plan::BuildWheel* const build = plan::build_run_by(context.attempt.step->action);
  return build != nullptr && value_at(build->variables, plan::kProfileVariable) == "1";
}

}  // namespace

class BuildCommands::Record {
 public:
  Record(const StepContext& context, const BuildSite& site)
      : context_(context),
        source_(site.space.seen(kSourceName).string() + "/"),
        root_(context.attempt.scratch),
        stats_log_(site.space.seen(kStatsName).string()),
        profile_(site.space.seen(kProfileName).string()),
        profiles_(is_profiled(context)),
        begun_(std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now())) {
    read_source([this] { ignore_restored(); });
    WatchCallbacks callbacks;
    callbacks.judge = judge;
    callbacks.begun = [this](const std::vector<std::string>& argv) { return begun(argv); };
    callbacks.builder_ended = [this](size_t id, const fs::path& directory) {
      read_ninja(id, directory);
    };
    try {
      watch_.emplace(std::move(callbacks), context.attempt.cores);
      if (context.container != nullptr) {
        context.container->report_running([this](pid_t first) { watch_->follow(first); });
      }
    } catch (const std::exception&) {
      // Without a thread or a descriptor for it: the logs are read after the build.
    }
  }

  void prepare(ports::Command& command) const {
    if (!context_.machine.variables.contains(kStatsLog)) {
      command.environment.try_emplace(kStatsLog, stats_log_);
    }
    if (profiles_) profile(command.environment);
  }

  void finish() {
    if (context_.container != nullptr) context_.container->report_running({});
    std::vector<WatchedCommand> watched;
    FoundLogs found;
    read_source([&] {
      if (watch_) watched = watch_->stop();
    });
    ReadBudget budget(context_.stop);
    read_source([&] { found = find_logs(root_); });
    if (!watch_ || context_.container != nullptr) {
      for (const fs::path& log : found.ninja) {
        if (budget.spent()) break;
        read_source([&] { add_ninja(log.parent_path(), std::nullopt); });
      }
    }
    read_source([&] {
      for (const fs::path& file : found.snippets) add_snippet(budget.text(file, kSnippet));
    });
    read_source([&] {
      for (const WatchedCommand& each : watched) add_watched(each);
    });
    if (profiles_ && succeeded_) read_source([&] { add_profiles(found, budget); });
    read_source([&] {
      context_.attempt.meter->add_hits(plan::ccache_hits(text_of_build(root_ / kStatsName)));
    });
    hide_secrets();
    context_.attempt.meter->add_commands(std::move(commands_));
  }

  void succeed() { succeeded_ = true; }

 private:
  // Lambdas refer to these types, so gcc wants them to have the linkage of the class.
  /// What may still be read after a build, in time and bytes: a build can leave any number of
  /// files.
  class ReadBudget {
   public:
    explicit ReadBudget(std::stop_token stop) : stop_(std::move(stop)) {}

    bool spent() const {
      return bytes_ >= kMostBytes || stop_.stop_requested() ||
             std::chrono::steady_clock::now() >= until_;
    }

    /// Like `text_of_build`; empty if the budget is spent.
    std::string text(const fs::path& path, const ByteLimit& limit = limits::kFile) {
      if (spent()) return {};
      std::string text = text_of_build(path, limit);
      bytes_ += text.size();
      return text;
    }

   private:
    static constexpr std::chrono::seconds kMostTime{20};
    static constexpr uint64_t kMostBytes = 512 * limits::kMega;

    const std::stop_token stop_;
    const std::chrono::steady_clock::time_point until_ =
        std::chrono::steady_clock::now() + kMostTime;
    uint64_t bytes_ = 0;
  };

  /// The files below a build's directories that say what its commands were.
  struct FoundLogs {
    std::vector<fs::path> ninja = {};
    std::vector<fs::path> snippets = {};
    std::vector<fs::path> time_traces = {};  ///< perhaps: JSON next to an object
  };

  /// Directories and files are counted, so that a tree of any size costs little.
  static FoundLogs find_logs(const fs::path& root) {
    constexpr size_t kMostEntries = 100'000;
    constexpr int kMostDepth = 12;
    FoundLogs found;
    std::error_code error;
    fs::recursive_directory_iterator at(root, fs::directory_options::skip_permission_denied, error);
    for (size_t seen = 0; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
      if (++seen > kMostEntries) break;
      const fs::path& path = at->path();
      const std::string name = path.filename().string();
      if (at.depth() >= kMostDepth || name == ".git") at.disable_recursion_pending();
      if (name == kNinjaLog) found.ninja.push_back(path);
      if (is_snippet(path)) found.snippets.push_back(path);
      if (is_time_trace(path)) found.time_traces.push_back(path);
    }
    return found;
  }

  /// A build that continues from a checkpoint has logs with the commands of earlier attempts.
  void ignore_restored() {
    for (const fs::path& log : find_logs(root_ / kSourceName).ninja) {
      fresh_lines(text_of_build(log), restored_lines_);
    }
  }

  /// nvcc adds these options at the end of its own; clang edits its arguments by the variable,
  /// which gcc ignores.
  void profile(std::map<std::string, std::string>& variables) const {
    std::string& flags = variables["NVCC_APPEND_FLAGS"];
    if (!flags.empty()) flags += ' ';
    flags += "-time " + profile_;
    std::string& edits = variables["CCC_OVERRIDE_OPTIONS"];
    // `#` first: clang does not print its edits.
    edits += edits.empty() ? "# +-ftime-trace" : " +-ftime-trace";
    variables["CCACHE_DISABLE"] = "1";
    variables["SCCACHE_RECACHE"] = "1";
  }

  void add_profiles(const FoundLogs& found, ReadBudget& budget) {
    std::multimap<std::string, plan::TracedCommand*> by_name;
    for (plan::TracedCommand& command : commands_) {
      by_name.emplace(last_part(command.output), &command);
    }
    const auto add = [&by_name](const std::string& output,
                                const std::vector<plan::CommandPart>& parts) {
      const auto [first, last] = by_name.equal_range(std::string(last_part(output)));
      for (auto at = first; at != last; ++at) {
        plan::TracedCommand& command = *at->second;
        if (is_end_of(command.output, output) || is_end_of(output, command.output)) {
          if (command.parts.empty()) command.parts = parts;
        }
      }
    };
    const std::string table = budget.text(root_ / kProfileName);
    for (const plan::CompilationProfile& each : plan::nvcc_profiles(table)) {
      if (budget.spent()) return;
      add(each.output, each.parts);
    }
    for (const fs::path& file : found.time_traces) {
      if (budget.spent()) return;
      const std::vector<plan::CommandPart> parts =
          plan::clang_phases(budget.text(file, kTimeTrace));
      fs::path object = file;
      if (!parts.empty()) add(object.replace_extension(".o").string(), parts);
    }
  }

  static WatchRole judge(const std::vector<std::string>& argv) {
    switch (plan::build_process(argv).process) {
      case plan::BuildProcess::parent:
        return WatchRole::parent;
      case plan::BuildProcess::ninja:
        return WatchRole::builder;
      case plan::BuildProcess::command:
        return WatchRole::command;
      case plan::BuildProcess::question:
        return WatchRole::ignored;
    }
    return WatchRole::parent;
  }

  size_t begun(const std::vector<std::string>& argv) {
    plan::BuildProcessFacts facts = plan::build_process(argv);
    // The argument may be long, and a build has many.
    facts.output = without_source(plan::listed_output(facts.output));
    noticed_.push_back(std::move(facts));
    return noticed_.size() - 1;
  }

  void read_ninja(size_t id, const fs::path& directory) {
    try {
      add_ninja(directory, id);
    } catch (const std::exception&) {
      // Without memory for a log, its build is watched like others.
      made_by_.erase(id);
    }
  }

  /// Adds the commands in a log that were not there before: each ninja in a directory appends to
  /// the same log.
  void add_ninja(const fs::path& directory, std::optional<size_t> id) {
    const std::optional<plan::TraceTime> written = time_of_file(directory / kNinjaLog);
    if (!written || *written < begun_) return;
    const std::string text = text_of_build(directory / kNinjaLog);
    const auto known = read_lines_.try_emplace(identity_of(directory), restored_lines_).first;
    const std::string fresh = fresh_lines(text, known->second);
    const std::string manifest = text_of_build(directory / "build.ninja");
    for (plan::TracedCommand& command : plan::ninja_commands({fresh, manifest, *written})) {
      if (command.span.completed < begun_) continue;
      command.output = without_source(command.output);
      outputs_.insert(command.output);
      if (id) made_by_[*id].insert(command.output);
      commands_.push_back(std::move(command));
    }
  }

  /// The header, and the lines that `known` does not have, which it then has.
  static std::string fresh_lines(std::string_view text, std::unordered_set<std::string>& known) {
    const size_t header = std::min(text.find('\n'), text.size());
    std::string fresh(text.substr(0, header));
    fresh += '\n';
    text.remove_prefix(std::min(header + 1, text.size()));
    while (!text.empty()) {
      const size_t end = text.find('\n');
      if (end == std::string_view::npos) break;
      std::string line(text.substr(0, end + 1));
      text.remove_prefix(end + 1);
      if (!known.insert(line).second) continue;
      fresh += line;
    }
    return fresh;
  }

  void add_snippet(std::string_view text) {
    std::optional<plan::TracedCommand> command = plan::snippet_command(text);
    if (!command || command->span.completed < begun_) return;
    command->output = without_source(command->output);
    // ninja's log has it as well.
    if (!outputs_.insert(command->output).second) return;
    commands_.push_back(*std::move(command));
  }

  /// A compiler below a ninja whose log mentions its output is one of those commands; one that
  /// failed is not in the log. The log of a ninja in a container may only have been found later.
  void add_watched(const WatchedCommand& watched) {
    const plan::BuildProcessFacts& facts = noticed_.at(watched.id);
    const std::string& output = facts.output;
    const auto made = watched.builder ? made_by_.find(*watched.builder) : made_by_.end();
    if (made != made_by_.end()) {
      if (made->second.contains(output)) return;
    } else if (!watched.builder || context_.container != nullptr) {
      if (outputs_.contains(output)) return;
    }
    commands_.push_back({output, facts.kind, {watched.start, watched.end}});
  }

  std::string without_source(const std::string& output) const {
    return output.starts_with(source_) ? output.substr(source_.size()) : output;
  }

  void hide_secrets() {
    const auto& hidden = context_.workplace.hidden;
    if (!hidden) return;
    for (plan::TracedCommand& command : commands_) command.output = hidden->mask(command.output);
  }

  const StepContext& context_;
  const std::string source_;  ///< as the build sees it
  const fs::path root_;
  const std::string stats_log_;
  const std::string profile_;  ///< nvcc's table
  const bool profiles_;
  const plan::TraceTime begun_;
  bool succeeded_ = false;
  // Filled by the thread of the watch, and read when it has ended.
  std::vector<plan::BuildProcessFacts> noticed_;
  std::vector<plan::TracedCommand> commands_;
  std::set<std::string> outputs_;                    ///< of `commands_`
  std::map<size_t, std::set<std::string>> made_by_;  ///< outputs by ninja
  std::unordered_set<std::string> restored_lines_;   ///< of logs, before the build
  std::map<std::string, std::unordered_set<std::string>> read_lines_;  ///< of logs, by directory
  std::optional<ProcessWatch> watch_;  ///< last: its thread uses the others
};

BuildCommands::BuildCommands(const StepContext& context, const BuildSite& site) {
  if (!context.attempt.meter) return;
  try {
    record_ = std::make_unique<Record>(context, site);
  } catch (const std::exception&) {
    // A trace is worth less than the build.
  }
}

BuildCommands::~BuildCommands() {
  if (!record_) return;
  try {
    record_->finish();
  } catch (const std::exception&) {
    // A trace is worth less than the build.
  }
}

void BuildCommands::prepare(ports::Command& command) const {
  if (record_) record_->prepare(command);
}

void BuildCommands::succeed() {
  if (record_) record_->succeed();
}

}  // namespace pinwheel::host
