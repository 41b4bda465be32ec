#include "slurm/allocation_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/parse_integer.h"
#include "base/text.h"
#include "slurm/script.h"

namespace pinwheel::slurm {
namespace {

constexpr std::string_view kDirective = "#SBATCH --";
constexpr std::string_view kComment = "pinwheel:";
constexpr size_t kMostIndexes = 1'000'000;

/// The directives `NAME="VALUE"` of a script, without the quotes.
std::map<std::string, std::string> directives_in(std::string_view text) {
  std::map<std::string, std::string> found;
  for (const std::string& line : split(text, '\n')) {
    if (!line.starts_with('#')) break;
    if (!line.starts_with(kDirective)) continue;
    const std::string_view word = std::string_view(line).substr(kDirective.size());
    const size_t equals = word.find('=');
    if (equals == std::string_view::npos) continue;
    std::string_view value = word.substr(equals + 1);
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
      value = value.substr(1, value.size() - 2);
    }
    found.emplace(word.substr(0, equals), value);
  }
  return found;
}

/// The lines "#PINWHEEL INDEX TOKEN STEP".
std::map<int, ScriptElement> elements_in(std::string_view text) {
  std::map<int, ScriptElement> elements;
  for (const std::string& line : split(text, '\n')) {
    if (!line.starts_with('#')) break;
    if (!line.starts_with(kElementLine)) continue;
    const std::string_view words = std::string_view(line).substr(kElementLine.size());
    const size_t first = words.find(' ');
    const size_t second = first == std::string_view::npos ? first : words.find(' ', first + 1);
    const std::optional<int> index = parse_integer(words.substr(0, first));
    if (!index || second == std::string_view::npos) continue;
    elements.insert_or_assign(
        *index, ScriptElement{std::string(words.substr(first + 1, second - first - 1)),
                              std::string(words.substr(second + 1))});
  }
  return elements;
}

/// "0-3,7"; empty for other text.
std::vector<int> indexes_in(std::string_view text) {
  std::vector<int> indexes;
  for (const std::string& part : split(text, ',')) {
    const size_t dash = part.find('-');
    const std::optional<uint64_t> first = parse_unsigned(std::string_view(part).substr(0, dash));
    const std::optional<uint64_t> last =
        dash == std::string::npos ? first : parse_unsigned(std::string_view(part).substr(dash + 1));
    if (!first || !last || *first > *last || *last >= kMostIndexes) return {};
    for (uint64_t index = *first; index <= *last; ++index) {
      indexes.push_back(static_cast<int>(index));
    }
  }
  return indexes;
}

/// A part of srun's or slurmstepd's message, and the state that it means.
struct StepWords {
  std::string_view text;
  JobState state;
};
constexpr std::array kStepWords = {
    StepWords{"exceeded memory limit", JobState::out_of_memory},
    StepWords{"oom-kill event", JobState::out_of_memory},
    StepWords{"oom_kill event", JobState::out_of_memory},
    StepWords{": Out Of Memory", JobState::out_of_memory},
    StepWords{"DUE TO TIME LIMIT", JobState::timeout},
    StepWords{"DUE TO NODE FAILURE", JobState::node_fail},
    StepWords{"Node failure on", JobState::node_fail},
    StepWords{"DUE TO PREEMPTION", JobState::preempted},
};

}  // namespace

std::optional<ScriptRequest> read_script(std::string_view text) {
  std::map<std::string, std::string> found = directives_in(text);
  ScriptRequest request;
  if (!found["comment"].starts_with(kComment)) return std::nullopt;
  request.submission = found["comment"].substr(kComment.size());
  request.indexes = indexes_in(found["array"]);
  if (request.submission.empty() || request.indexes.empty()) return std::nullopt;
  request.elements = elements_in(text);
  request.cores = std::max(1, parse_integer(found["cpus-per-task"]).value_or(1));
  std::string memory = found["mem"];
  if (memory.ends_with('M')) memory.pop_back();
  request.megabytes = parse_unsigned(memory).value_or(0);
  request.gres = found["gres"];
  request.directory = found["chdir"];
  request.output = found["output"];
  if (found["export"] != "NIL") {
    for (std::string& name : split(found["export"], ',')) {
      if (!name.empty()) request.variables.push_back(std::move(name));
    }
  }
  return request;
}

std::vector<ElementRef> needs_of_element(std::string_view dependency, int index) {
  std::vector<ElementRef> needs;
  for (const std::string& part : split(dependency, ',')) {
    std::vector<std::string> words = split(part, ':');
    for (size_t i = 1; i < words.size(); ++i) {
      if (words[0] == "aftercorr") {
        needs.push_back({words[i], index});
        continue;
      }
      const size_t bar = words[i].rfind('_');
      const std::optional<int> element =
          bar == std::string::npos ? std::nullopt
                                   : parse_integer(std::string_view(words[i]).substr(bar + 1));
      if (element) needs.push_back({words[i].substr(0, bar), *element});
    }
  }
  return needs;
}

int cores_in(const Allocation& allocation, const ScriptRequest& request) {
  const auto largest = std::ranges::max_element(allocation.node_cores);
  const int most = largest == allocation.node_cores.end() ? std::max(1, allocation.cores)
                                                          : std::max(1, *largest);
  return std::min(request.cores, most);
}

std::vector<std::string> srun_command(const Allocation& allocation, const ScriptRequest& request,
                                      int index, const std::string& script) {
  const int cores = cores_in(allocation, request);
  std::vector<std::string> argv = {
      "srun",
      "--jobid=" + allocation.job,
      "--nodes=1",
      "--ntasks=1",
      "--exact",
      fmt::format("--cpus-per-task={}", cores),
      "--mpi=none",
      "--input=none",
      "--job-name=pinwheel-step",
      "--output=" + replace_all(request.output, "%a", std::to_string(index)),
      "--open-mode=append",
      "--chdir=" + request.directory};
  const uint64_t of_node = allocation.memory >> 20U;
  const auto node_cores = static_cast<uint64_t>(std::max({1, allocation.cores, cores}));
  uint64_t megabytes = request.megabytes;
  if (megabytes == 0) megabytes = of_node * static_cast<uint64_t>(cores) / node_cores;
  if (of_node > 0) megabytes = std::min(megabytes, of_node);
  if (megabytes > 0) argv.push_back(fmt::format("--mem={}M", megabytes));
  if (!request.gres.empty()) argv.push_back("--gres=" + request.gres);
  std::vector<std::string> variables = request.variables;
  variables.push_back(fmt::format("SLURM_ARRAY_TASK_ID={}", index));
  argv.push_back("--export=" + join(variables, ","));
  argv.insert(argv.end(), {"bash", script});
  return argv;
}

std::map<std::string, std::string> srun_variables(
    const std::map<std::string, std::string>& variables) {
  std::map<std::string, std::string> kept;
  for (const auto& [name, value] : variables) {
    const bool foreign = name.starts_with("SLURM") || name.starts_with("SBATCH_") ||
                         name.starts_with("SRUN_") || name.starts_with("PMI");
    if (!foreign || name == "SLURM_CONF") kept.emplace(name, value);
  }
  return kept;
}

Job end_step(Job job, const ports::Exit& exit, std::string_view errors) {
  // srun ends as a shell reports it.
  constexpr int kSignaled = 128;
  job.signal = exit.code > kSignaled ? exit.code - kSignaled : exit.signal;
  job.exit_code = exit.code > kSignaled ? 0 : exit.code;
  job.state = exit.ok() ? JobState::completed : JobState::failed;
  if (exit.ok()) return job;
  for (const StepWords& words : kStepWords) {
    if (errors.find(words.text) == std::string_view::npos) continue;
    job.state = words.state;
    return job;
  }
  return job;
}

}  // namespace pinwheel::slurm
