#include "host/slurm/slurm_commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "base/visible_text.h"

namespace pinwheel::host {
namespace {

constexpr std::chrono::milliseconds kCommandLimit = std::chrono::seconds(30);
/// An interrupted run ends within seconds.
constexpr std::chrono::milliseconds kCancelLimit = std::chrono::seconds(4);
constexpr int kDefaultMaxArraySize = 1001;

/// The last line that a command wrote, without its prefix "sbatch: error: ".
std::string words_of(const ports::Captured& ran) {
  std::string text(trim(ran.err.empty() ? ran.out : ran.err));
  const size_t error = text.rfind("error: ");
  if (error != std::string::npos) text = text.substr(error + std::string_view("error: ").size());
  return text.empty() ? "it printed nothing" : text;
}

/// Whether the controller may have accepted a job although sbatch reports an error.
bool is_uncertain(const ports::Captured& ran) {
  if (ran.exit.timed_out || ran.exit.signal != 0) return true;
  const std::string& text = ran.err;
  return std::ranges::any_of(
      std::vector<std::string_view>{"Unable to contact slurm controller", "Socket timed out",
                                    "Connection refused", "Zero Bytes were transmitted",
                                    "Transport endpoint", "Connection reset"},
      [&](std::string_view each) { return text.find(each) != std::string::npos; });
}

std::string hint_for(const std::string& words) {
  const auto says = [&](std::string_view part) { return words.find(part) != std::string::npos; };
  if (says("nvalid partition")) {
    return "`sinfo` lists the partitions; set `partition` in `executor.slurm`";
  }
  if (says("nvalid account")) return "set `account` in `executor.slurm`";
  if (says("node configuration is not available")) {
    return "no node has so much memory, so many cores or this `gres`; see `executor.slurm`";
  }
  if (says("time limit")) return "set `time` in `executor.slurm` to at most that of the partition";
  return "`pinwheel doctor --executor slurm` checks the cluster";
}

}  // namespace

Result<ports::Captured> SlurmCommands::call(std::vector<std::string> argv,
                                            std::chrono::milliseconds limit) const {
  ports::Command command;
  command.argv = std::move(argv);
  command.environment = variables_;
  command.environment["SLURM_TIME_FORMAT"] = "%s";
  command.timeout = limit;
  return process_.capture(command);
}

Result<Submitted> SlurmCommands::submit(const std::string& script,
                                        const std::string& dependency) const {
  std::vector<std::string> argv = {"sbatch", "--parsable"};
  if (!dependency.empty()) argv.push_back("--dependency=" + dependency);
  argv.push_back(script);
  Result<ports::Captured> ran = call(std::move(argv), kCommandLimit);
  if (!ran) {
    return fail(ErrorKind::environment, "`sbatch` cannot be started",
                "run pinwheel on a login node of the cluster, or install Slurm's client");
  }
  if (ran->exit.ok()) {
    const std::string id(trim(ran->out.substr(0, ran->out.find(';'))));
    return Submitted{id};
  }
  if (is_uncertain(*ran)) return Submitted{};
  const std::string words = words_of(*ran);
  return fail(ErrorKind::environment, fmt::format("sbatch refuses the jobs: {}", visible(words)),
              hint_for(words));
}

Result<slurm::Listing> SlurmCommands::list(std::chrono::milliseconds limit) const {
  TRY(const ports::Captured ran, call(slurm::squeue_command(std::to_string(::getuid())), limit));
  if (ran.exit.ok()) return slurm::our_elements(slurm::read_squeue(ran.out));
  return fail(ErrorKind::transient, fmt::format("squeue failed: {}", visible(words_of(ran))));
}

std::optional<slurm::Job> SlurmCommands::describe(const std::string& element) const {
  const Result<ports::Captured> ran = call(slurm::scontrol_command(element), kCommandLimit);
  if (!ran || !ran->exit.ok()) return std::nullopt;
  const std::vector<slurm::Job> jobs = slurm::read_scontrol(ran->out);
  const auto found = std::ranges::find(jobs, element, &slurm::Job::id);
  if (found == jobs.end()) return std::nullopt;
  return *found;
}

Done SlurmCommands::cancel(const std::vector<std::string>& elements) const {
  if (elements.empty()) return {};
  std::vector<std::string> argv = {"scancel", "--full"};
  argv.insert(argv.end(), elements.begin(), elements.end());
  TRY(const ports::Captured ran, call(std::move(argv), kCancelLimit));
  if (ran.exit.ok()) return {};
  return fail(ErrorKind::environment, fmt::format("scancel failed: {}", visible(words_of(ran))));
}

int SlurmCommands::largest_array() const {
  const Result<ports::Captured> ran = call({"scontrol", "show", "config"}, kCommandLimit);
  if (!ran || !ran->exit.ok()) return kDefaultMaxArraySize;
  const size_t at = ran->out.find("MaxArraySize");
  const size_t equals = at == std::string::npos ? at : ran->out.find('=', at);
  if (equals == std::string::npos) return kDefaultMaxArraySize;
  const std::string_view rest = trim(std::string_view(ran->out).substr(equals + 1, 12));
  int size = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), size);
  return size > 0 ? size : kDefaultMaxArraySize;
}

}  // namespace pinwheel::host
