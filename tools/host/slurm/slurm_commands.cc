#include "host/slurm/slurm_commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/parse_integer.h"
#include "base/text.h"
#include "base/visible_text.h"
#include "slurm/cluster.h"
#include "slurm/script.h"

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

/// What an error of sbatch means.
enum class Refusal {
  uncertain,  ///< the controller may have accepted the job
  temporary,  ///< it may accept the job later
  final,
};

// From src/common/slurm_errno.c and src/sbatch/sbatch.c.
constexpr std::array<std::string_view, 6> kUncertain = {
    "Unable to contact slurm controller", "Socket timed out",   "Connection refused",
    "Zero Bytes were transmitted",        "Transport endpoint", "Connection reset"};
constexpr std::array<std::string_view, 7> kTemporary = {
    "temporarily unable to accept job", "job queue full", "Job creation temporarily disabled",
    "Required partition not available", "standby mode",   "Munge encode failed",
    "Protocol authentication error"};
constexpr std::string_view kPolicy = "Job violates accounting/QOS policy";

template <size_t N>
bool has_one(const std::string& text, const std::array<std::string_view, N>& parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view each) { return text.find(each) != std::string::npos; });
}

/// A line before the error names the limit. All limits are limits of the job itself, except the
/// limit on the number of jobs: "sbatch: error: QOSMaxSubmitJobPerUserLimit".
bool exceeds_own_limit(const std::string& text) {
  return std::ranges::any_of(split(text, '\n'), [](const std::string& line) {
    return line.ends_with("Limit") && line.find("Submit") == std::string::npos;
  });
}

Refusal refusal_of(const ports::Captured& ran) {
  // sbatch repeats some of these by itself until its time limit.
  if (!ran.exit.canceled && has_one(ran.err, kTemporary)) return Refusal::temporary;
  if (ran.exit.timed_out || ran.exit.signal != 0) return Refusal::uncertain;
  if (has_one(ran.err, kUncertain)) return Refusal::uncertain;
  const bool policy = ran.err.find(kPolicy) != std::string::npos;
  return policy && !exceeds_own_limit(ran.err) ? Refusal::temporary : Refusal::final;
}

/// "12_[0-2,7]" of "12_0", "12_1", "12_2", "12_7".
std::vector<std::string> by_array(const std::vector<std::string>& elements) {
  std::map<std::string, std::set<int>> arrays;
  std::vector<std::string> ids;
  for (const std::string& element : elements) {
    const size_t bar = element.find('_');
    const std::optional<int> index = bar == std::string::npos
                                         ? std::nullopt
                                         : parse_integer(std::string_view(element).substr(bar + 1));
    if (index) {
      arrays[element.substr(0, bar)].insert(*index);
    } else {
      ids.push_back(element);
    }
  }
  ids.reserve(ids.size() + arrays.size());
  for (const auto& [array, indexes] : arrays) {
    ids.push_back(
        fmt::format("{}_[{}]", array, slurm::index_list({indexes.begin(), indexes.end()})));
  }
  return ids;
}

std::string hint_for(const std::string& words) {
  const auto says = [&](std::string_view part) { return words.find(part) != std::string::npos; };
  if (says("nvalid partition")) {
    return "`sinfo` lists the partitions; set `partition` in `executor.slurm`";
  }
  if (says("nvalid account")) return "set `account` in `executor.slurm`";
  if (says("node configuration is not available")) {
    return "no node has that much memory, that many cores, or this `gres`; see `executor.slurm`";
  }
  if (says("time limit")) return "set `time` in `executor.slurm` to at most that of the partition";
  return "`pinwheel doctor --executor slurm` checks the cluster";
}

}  // namespace

Result<ports::Captured> SlurmCommands::call(std::vector<std::string> argv,
                                            std::chrono::milliseconds limit) const {
  ports::Command command;
  command.environment = slurm::command_variables(variables_, argv.at(0));
  command.argv = std::move(argv);
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
  const Refusal refusal = refusal_of(*ran);
  if (refusal == Refusal::uncertain) return Submitted{};
  const std::string words = words_of(*ran);
  if (refusal == Refusal::temporary) {
    return fail(ErrorKind::transient,
                fmt::format("sbatch does not accept the jobs now: {}", visible(words)),
                "pinwheel repeats the submission until sbatch accepts it");
  }
  return fail(ErrorKind::environment, fmt::format("sbatch rejected the jobs: {}", visible(words)),
              hint_for(words));
}

Result<UserJobs> SlurmCommands::all_jobs(std::chrono::milliseconds limit) const {
  TRY(const ports::Captured ran, call(slurm::squeue_command(std::to_string(::getuid())), limit));
  if (!ran.exit.ok()) {
    const std::string why = ran.exit.timed_out ? "it did not answer in time" : words_of(ran);
    return fail(ErrorKind::transient, fmt::format("squeue failed: {}", visible(why)));
  }
  const std::vector<slurm::Job> jobs = slurm::read_squeue(ran.out);
  UserJobs all{slurm::our_elements(jobs)};
  for (const slurm::Job& job : jobs) {
    if (!slurm::has_ended(job.state)) all.living.insert(job.id);
  }
  return all;
}

Result<slurm::Listing> SlurmCommands::list(std::chrono::milliseconds limit) const {
  TRY(UserJobs all, all_jobs(limit));
  return std::move(all.elements);
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
  // Each id costs scancel a request to the controller.
  const std::vector<std::string> ids = by_array(elements);
  argv.insert(argv.end(), ids.begin(), ids.end());
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
