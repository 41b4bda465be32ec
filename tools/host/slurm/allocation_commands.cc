#include "host/slurm/allocation_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <numeric>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/text.h"
#include "plan/outcome.h"
#include "slurm/allocation_step.h"
#include "slurm/job_result.h"

namespace pinwheel::host {
namespace {

using slurm::ElementRef;
using slurm::JobState;

/// Appends what srun itself says to the log of the step.
void append_errors(const std::string& log, const std::string& errors) {
  if (errors.empty()) return;
  std::ofstream(log, std::ios::app) << errors;
}

std::string log_of(const slurm::ScriptRequest& request, int index) {
  return replace_all(request.output, "%a", std::to_string(index));
}

/// The element of "12_3"; empty for other text.
std::vector<ElementRef> refs_of(const std::string& element) {
  return slurm::needs_of_element("afterok:" + element, 0);
}

}  // namespace

/// The state that one lock protects. The threads of elements end before this object does.
struct AllocationCommands::State {
  /// An element of an array, from its submission on.
  struct Element {
    std::shared_ptr<const slurm::ScriptRequest> request;
    std::string script;
    slurm::Job job = {.state = JobState::pending};
    uint64_t order = 0;                       ///< of submissions
    size_t unmet = 0;                         ///< needs that have not ended yet
    std::vector<ElementRef> dependents = {};  ///< elements that wait for its end
    std::stop_source stop = {};
    std::jthread thread = {};
  };

  State(ports::Files& own_files, StoppableProcess own_run,
        const std::map<std::string, std::string>& own_variables, slurm::Allocation own_allocation,
        StepCheck own_check)
      : files(own_files),
        run(std::move(own_run)),
        variables(slurm::srun_variables(own_variables)),
        allocation(std::move(own_allocation)),
        check(std::move(own_check)),
        free_cores(std::max(
            1, std::accumulate(allocation.node_cores.begin(), allocation.node_cores.end(), 0))) {}

  int cores_of(const Element& element) const {
    return slurm::cores_in(allocation, *element.request);
  }
  void add(const ElementRef& ref, Element element, const std::vector<ElementRef>& needs);
  void never_starts(const ElementRef& ref);
  void settle(const ElementRef& first);
  void start_ready();
  void start(const ElementRef& ref, Element& element);
  bool is_refused(const ElementRef& ref, Element& element);
  slurm::Job run_step(const ports::Command& command, const std::string& log, slurm::Job job,
                      const std::stop_token& stop) const;
  void ended(const ElementRef& ref, const slurm::Job& job);
  void cancel(const ElementRef& ref);

  ports::Files& files;
  const StoppableProcess run;
  const std::map<std::string, std::string> variables;
  const slurm::Allocation allocation;
  const StepCheck check;
  std::mutex mutex = {};
  std::map<ElementRef, Element> elements = {};
  /// The elements that wait only for cores: by the number of cores, in the order of submission.
  std::map<int, std::map<uint64_t, ElementRef>> ready = {};
  std::jthread finished = {};  ///< the last one; it has joined the one before
  uint64_t submitted = 0;
  int arrays = 0;
  int free_cores;
  int running = 0;
  bool closing = false;
};

void AllocationCommands::State::add(const ElementRef& ref, Element element,
                                    const std::vector<ElementRef>& needs) {
  element.order = ++submitted;
  Element& added = elements.emplace(ref, std::move(element)).first->second;
  bool never = false;
  for (const ElementRef& need : needs) {
    const auto found = elements.find(need);
    // An element of an earlier process has ended: the executor waited for it.
    if (found == elements.end() || found->second.job.state == JobState::completed) continue;
    never = never || has_ended(found->second.job.state);
    ++added.unmet;
    found->second.dependents.push_back(ref);
  }
  if (never) return never_starts(ref);
  if (added.unmet == 0) ready[cores_of(added)].emplace(added.order, ref);
}

void AllocationCommands::State::never_starts(const ElementRef& ref) {
  slurm::Job& job = elements.at(ref).job;
  job.state = JobState::cancelled;
  job.reason = "DependencyNeverSatisfied";
}

/// Passes the end of an element on to the elements that wait for it, and to those that wait for
/// these.
void AllocationCommands::State::settle(const ElementRef& first) {
  std::vector<ElementRef> ends = {first};
  while (!ends.empty()) {
    Element& element = elements.at(ends.back());
    ends.pop_back();
    for (const ElementRef& ref : std::exchange(element.dependents, {})) {
      Element& dependent = elements.at(ref);
      if (dependent.job.state != JobState::pending) continue;
      if (element.job.state != JobState::completed) {
        never_starts(ref);
        ends.push_back(ref);
      } else if (--dependent.unmet == 0) {
        ready[cores_of(dependent)].emplace(dependent.order, ref);
      }
    }
  }
}

/// Starts the oldest of the elements for which there are cores, as long as there is one.
void AllocationCommands::State::start_ready() {
  while (!closing) {
    auto next = ready.end();
    for (auto each = ready.begin(); each != ready.end(); ++each) {
      // A step that requests more cores than the job has gets all of them, when nothing else runs.
      if (each->first > free_cores && running > 0) break;
      const bool older =
          next == ready.end() || each->second.begin()->first < next->second.begin()->first;
      if (older) next = each;
    }
    if (next == ready.end()) return;
    const ElementRef ref = next->second.begin()->second;
    next->second.erase(next->second.begin());
    if (next->second.empty()) ready.erase(next);
    start(ref, elements.at(ref));
  }
}

/// Whether the check refuses the step. Then the element ends as if its job had failed with that
/// error.
bool AllocationCommands::State::is_refused(const ElementRef& ref, Element& element) {
  const auto own = element.request->elements.find(ref.index);
  if (!check || own == element.request->elements.end()) return false;
  const Done checked = check(own->second.step);
  if (checked) return false;
  plan::StepOutcome outcome;
  outcome.id = own->second.step;
  outcome.state = plan::StepState::failed;
  outcome.error = checked.error();
  outcome.log = log_of(*element.request, ref.index);
  const std::filesystem::path logs = std::filesystem::path(element.request->output).parent_path();
  const std::filesystem::path result =
      logs.parent_path() / "results" / (own->second.token + ".json");
  const int code = exit_code(checked.error().kind);
  const Done written = files.write(result, slurm::result_json(own->second.token, code, outcome));
  append_errors(outcome.log, render(written ? checked.error() : written.error()));
  element.job.state = JobState::failed;
  element.job.exit_code = code;
  return true;
}

void AllocationCommands::State::start(const ElementRef& ref, Element& element) {
  if (is_refused(ref, element)) return settle(ref);
  element.job.state = JobState::running;
  free_cores -= cores_of(element);
  ++running;
  ports::Command command;
  command.argv = slurm::srun_command(allocation, *element.request, ref.index, element.script);
  command.directory = "/";
  command.environment = variables;
  const std::string log = log_of(*element.request, ref.index);
  try {
    // The state outlives the thread, which its destructor joins.
    element.thread =
        std::jthread([this, ref, command, log, job = element.job, stop = element.stop.get_token()] {
          ended(ref, run_step(command, log, job, stop));
        });
  } catch (const std::system_error& thrown) {
    append_errors(log, fmt::format("pinwheel: no thread for the step: {}\n", thrown.what()));
    element.job.state = JobState::launch_failed;
    free_cores += cores_of(element);
    --running;
    settle(ref);
  }
}

/// Runs srun, and returns the job as it ended.
slurm::Job AllocationCommands::State::run_step(const ports::Command& command,
                                               const std::string& log, slurm::Job job,
                                               const std::stop_token& stop) const {
  try {
    const Result<ports::Captured> ran = run(command, stop);
    append_errors(log, ran ? ran->err : render(ran.error()));
    job.state = JobState::failed;
    if (ran) job = slurm::end_step(std::move(job), ran->exit, ran->err);
  } catch (const std::exception& thrown) {
    append_errors(log, fmt::format("pinwheel: srun was not run: {}\n", thrown.what()));
    job.state = JobState::launch_failed;
  }
  const bool stopped = stop.stop_requested() && job.state != JobState::completed;
  if (stopped) job.state = JobState::cancelled;
  return job;
}

/// The last action of a thread.
void AllocationCommands::State::ended(const ElementRef& ref, const slurm::Job& job) {
  // Joined outside the lock. Its thread does nothing more than this.
  std::jthread earlier;
  const std::scoped_lock lock(mutex);
  Element& element = elements.at(ref);
  element.job = job;
  free_cores += cores_of(element);
  --running;
  settle(ref);
  start_ready();
  earlier = std::exchange(finished, std::move(element.thread));
}

void AllocationCommands::State::cancel(const ElementRef& ref) {
  const auto found = elements.find(ref);
  if (found == elements.end()) return;
  Element& element = found->second;
  element.stop.request_stop();
  if (element.job.state != JobState::pending) return;
  element.job.state = JobState::cancelled;
  if (const auto waiting = ready.find(cores_of(element)); waiting != ready.end()) {
    waiting->second.erase(element.order);
    if (waiting->second.empty()) ready.erase(waiting);
  }
  settle(ref);
}

AllocationCommands::AllocationCommands(ports::Files& files, ports::Process& process,
                                       StoppableProcess run,
                                       const std::map<std::string, std::string>& variables,
                                       slurm::Allocation allocation, StepCheck check)
    : SlurmCommands(process, variables),
      state_(std::make_shared<State>(files, std::move(run), variables, std::move(allocation),
                                     std::move(check))) {}

AllocationCommands::~AllocationCommands() {
  std::vector<std::jthread> threads;
  {
    const std::scoped_lock lock(state_->mutex);
    state_->closing = true;
    threads.reserve(state_->elements.size() + 1);
    threads.push_back(std::move(state_->finished));
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
    return fail(ErrorKind::internal, fmt::format("{} is not a job script", quoted(script)));
  }
  const auto request = std::make_shared<const slurm::ScriptRequest>(*std::move(read));
  const std::scoped_lock lock(state_->mutex);
  std::string array = std::to_string(++state_->arrays);
  for (const int index : request->indexes) {
    const ElementRef ref{array, index};
    State::Element element;
    element.request = request;
    element.script = script;
    element.job.id = fmt::format("{}_{}", array, index);
    element.job.number = state_->allocation.job;
    state_->add(ref, std::move(element), slurm::needs_of_element(dependency, index));
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
  for (const ElementRef& ref : refs_of(element)) {
    const auto found = state_->elements.find(ref);
    if (found != state_->elements.end()) return found->second.job;
  }
  return std::nullopt;
}

Done AllocationCommands::cancel(const std::vector<std::string>& elements) const {
  const std::scoped_lock lock(state_->mutex);
  for (const std::string& text : elements) {
    for (const ElementRef& ref : refs_of(text)) state_->cancel(ref);
  }
  state_->start_ready();
  return {};
}

int AllocationCommands::largest_array() const {
  return kLargestArray;
}

}  // namespace pinwheel::host
