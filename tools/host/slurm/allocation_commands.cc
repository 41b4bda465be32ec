#include "host/slurm/allocation_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>

#include "base/text.h"
#include "slurm/allocation_step.h"

namespace pinwheel::host {
namespace {

using slurm::ElementRef;
using slurm::JobState;

constexpr int kLargestArray = 1'000'000;

/// Appends what srun itself says to the log of the step.
void append_errors(const std::string& log, const std::string& errors) {
  if (errors.empty()) return;
  std::ofstream(log, std::ios::app) << errors;
}

}  // namespace

/// Everything behind one lock. Threads of elements end before it does.
struct AllocationCommands::State {
  /// An element of an array, from its submission on.
  struct Element {
    std::shared_ptr<const slurm::ScriptRequest> request;
    std::string script;
    std::vector<ElementRef> needs;
    slurm::Job job = {.state = JobState::pending};
    std::stop_source stop = {};
    std::jthread thread = {};
  };

  State(ports::Files& own_files, StoppableProcess own_run,
        std::map<std::string, std::string> own_variables, slurm::Allocation own_allocation)
      : files(own_files),
        run(std::move(own_run)),
        variables(slurm::srun_variables(own_variables)),
        allocation(std::move(own_allocation)),
        free_cores(std::max(
            1, std::accumulate(allocation.node_cores.begin(), allocation.node_cores.end(), 0))) {}

  /// Whether an element can start, has to wait, or never starts.
  enum class Readiness { ready, waits, never };
  Readiness readiness(const Element& element) const;
  void start_ready();
  void start(const ElementRef& ref, Element& element);
  void ended(const ElementRef& ref, const slurm::Job& job);

  ports::Files& files;
  const StoppableProcess run;
  const std::map<std::string, std::string> variables;
  const slurm::Allocation allocation;
  std::mutex mutex = {};
  std::map<ElementRef, Element> elements = {};
  std::vector<ElementRef> waiting = {};  ///< in the order of their submission
  int arrays = 0;
  int free_cores;
  int running = 0;
  bool closing = false;
};

AllocationCommands::State::Readiness AllocationCommands::State::readiness(
    const Element& element) const {
  for (const ElementRef& need : element.needs) {
    const auto found = elements.find(need);
    // An element of an earlier process has ended: the executor waited for it.
    if (found == elements.end() || found->second.job.state == JobState::completed) continue;
    return has_ended(found->second.job.state) ? Readiness::never : Readiness::waits;
  }
  // A step that requests more than is there gets all of it, when nothing else runs.
  const int cores = slurm::cores_in(allocation, *element.request);
  return cores <= free_cores || running == 0 ? Readiness::ready : Readiness::waits;
}

void AllocationCommands::State::start_ready() {
  if (closing) return;
  bool changed = true;
  while (changed) {
    changed = false;
    std::vector<ElementRef> left;
    left.reserve(waiting.size());
    for (const ElementRef& ref : std::exchange(waiting, {})) {
      Element& element = elements.at(ref);
      if (element.job.state != JobState::pending) continue;
      switch (readiness(element)) {
        case Readiness::waits:
          left.push_back(ref);
          break;
        case Readiness::never:
          element.job.state = JobState::cancelled;
          element.job.reason = "DependencyNeverSatisfied";
          changed = true;
          break;
        case Readiness::ready:
          start(ref, element);
          break;
      }
    }
    waiting = std::move(left);
  }
}

void AllocationCommands::State::start(const ElementRef& ref, Element& element) {
  element.job.state = JobState::running;
  free_cores -= slurm::cores_in(allocation, *element.request);
  ++running;
  ports::Command command;
  command.argv = slurm::srun_command(allocation, *element.request, ref.index, element.script);
  command.directory = "/";
  command.environment = variables;
  const std::string log = replace_all(element.request->output, "%a", std::to_string(ref.index));
  // The state outlives the thread, which its destructor joins.
  element.thread = std::jthread(
      [this, ref, command, log, job = element.job, stop = element.stop.get_token()]() mutable {
        const Result<ports::Captured> ran = run(command, stop);
        if (ran) {
          append_errors(log, ran->err);
          slurm::end_step(ran->exit, ran->err, job);
        } else {
          append_errors(log, render(ran.error()));
          job.state = JobState::failed;
        }
        const bool stopped = stop.stop_requested() && job.state != JobState::completed;
        if (stopped) job.state = JobState::cancelled;
        ended(ref, job);
      });
}

void AllocationCommands::State::ended(const ElementRef& ref, const slurm::Job& job) {
  const std::scoped_lock lock(mutex);
  Element& element = elements.at(ref);
  element.job = job;
  free_cores += slurm::cores_in(allocation, *element.request);
  --running;
  start_ready();
}

AllocationCommands::AllocationCommands(ports::Files& files, ports::Process& process,
                                       StoppableProcess run,
                                       std::map<std::string, std::string> variables,
                                       slurm::Allocation allocation)
    : SlurmCommands(process, variables),
      state_(std::make_shared<State>(files, std::move(run), std::move(variables),
                                     std::move(allocation))) {}

AllocationCommands::~AllocationCommands() {
  std::vector<std::jthread> threads;
  {
    const std::scoped_lock lock(state_->mutex);
    state_->closing = true;
    threads.reserve(state_->elements.size());
    for (auto& each : state_->elements) {
      each.second.stop.request_stop();
      if (each.second.thread.joinable()) threads.push_back(std::move(each.second.thread));
    }
  }
  // Joins outside the lock, which threads need for their end.
  threads.clear();
}

Result<Submitted> AllocationCommands::submit(const std::string& script,
                                             const std::string& dependency) const {
  TRY(const std::string text, state_->files.read(script));
  std::optional<slurm::ScriptRequest> read = slurm::read_script(text);
  if (!read) {
    return fail(ErrorKind::internal, fmt::format("{} is no script of jobs", quoted(script)));
  }
  const auto request = std::make_shared<const slurm::ScriptRequest>(*std::move(read));
  const std::scoped_lock lock(state_->mutex);
  std::string array = std::to_string(++state_->arrays);
  for (const int index : request->indexes) {
    const ElementRef ref{array, index};
    State::Element element;
    element.request = request;
    element.script = script;
    element.needs = slurm::needs_of_element(dependency, index);
    element.job.id = fmt::format("{}_{}", array, index);
    element.job.number = state_->allocation.job;
    state_->elements.emplace(ref, std::move(element));
    state_->waiting.push_back(ref);
  }
  state_->start_ready();
  return Submitted{std::move(array)};
}

Result<slurm::Listing> AllocationCommands::list(std::chrono::milliseconds /*limit*/) const {
  const std::scoped_lock lock(state_->mutex);
  slurm::Listing listing;
  for (const auto& [ref, element] : state_->elements) {
    listing[{element.request->submission, ref.index}] = element.job;
  }
  return listing;
}

std::optional<slurm::Job> AllocationCommands::describe(const std::string& element) const {
  const std::scoped_lock lock(state_->mutex);
  for (const auto& each : state_->elements) {
    if (each.second.job.id == element) return each.second.job;
  }
  return std::nullopt;
}

Done AllocationCommands::cancel(const std::vector<std::string>& elements) const {
  const std::scoped_lock lock(state_->mutex);
  for (const std::string& text : elements) {
    for (const ElementRef& ref : slurm::needs_of_element("afterok:" + text, 0)) {
      const auto found = state_->elements.find(ref);
      if (found == state_->elements.end()) continue;
      slurm::Job& job = found->second.job;
      if (job.state == JobState::pending) job.state = JobState::cancelled;
      found->second.stop.request_stop();
    }
  }
  state_->start_ready();
  return {};
}

int AllocationCommands::largest_array() const {
  return kLargestArray;
}

}  // namespace pinwheel::host
