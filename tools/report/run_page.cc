#include "report/run_page.h"

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "analysis/critical_path.h"
#include "analysis/slot_time.h"
#include "base/text.h"
#include "plan/step_id.h"
#include "report/error_lines.h"

namespace pinwheel::report {
namespace {

using PageJson = nlohmann::ordered_json;
using plan::StepOutcome;
using plan::StepState;

std::string kind_word(const std::string& id) {
  return id.substr(0, id.find(':'));
}

template <typename Value>
PageJson value_or_null(const std::optional<Value>& value) {
  return value ? PageJson(*value) : PageJson();
}

/// The step that several jobs report: the job that executed it, else the first.
std::vector<const StepOutcome*> distinct_steps(const std::vector<StepOutcome>& outcomes) {
  std::vector<const StepOutcome*> steps;
  std::map<std::string_view, size_t> known;
  for (const StepOutcome& outcome : outcomes) {
    const auto [at, is_new] = known.emplace(outcome.id, steps.size());
    if (is_new) {
      steps.push_back(&outcome);
    } else if (outcome.attempts > 0 && steps[at->second]->attempts == 0) {
      steps[at->second] = &outcome;
    }
  }
  return steps;
}

/// The command that repeats a step, on a machine with its checkout; empty for one that changes
/// something elsewhere.
std::string repeat_line(const StepOutcome& step) {
  const std::optional<plan::StepKind> kind = plan::kind_of_step(step.id);
  const bool repeatable = kind == plan::StepKind::build || kind == plan::StepKind::test ||
                          kind == plan::StepKind::environment || kind == plan::StepKind::device ||
                          plan::is_sdist(step.id);
  const bool failed = step.state == StepState::failed && !plan::publishes(step.id);
  return failed || repeatable ? "pinwheel reproduce " + shell_quote(step.id) : "";
}

/// The command for a shell where a build or a test runs; empty for other steps.
std::string shell_line(const StepOutcome& step) {
  const std::optional<plan::StepKind> kind = plan::kind_of_step(step.id);
  if (kind == plan::StepKind::test) {
    return "pinwheel env shell --test " + shell_quote(plan::variant_of(step.id));
  }
  const bool build = kind == plan::StepKind::build;
  return build ? "pinwheel env shell " + shell_quote(step.id.substr(step.id.find(':') + 1)) : "";
}

PageJson step_page(const StepOutcome& step) {
  PageJson outputs = PageJson::array();
  for (const plan::Output& output : step.outputs) {
    outputs.push_back({{"path", output.path}, {"size", output.size}, {"sha256", output.sha256}});
  }
  return {{"id", step.id},
          {"kind", kind_word(step.id)},
          {"state", plan::to_string(step.state)},
          {"evidence", plan::evidence_text(step)},
          {"key", step.key},
          {"log", step.log},
          {"reason", step.reason},
          {"attempts", step.attempts},
          {"elapsed", step.elapsed.count()},
          {"needs", step.needs},
          {"outputs", std::move(outputs)},
          {"error", step.error ? error_lines(*step.error) : ""},
          {"again", repeat_line(step)},
          {"shell", shell_line(step)},
          {"warnings", step.warnings},
          {"reused_from", step.reused_from}};
}

/// The axes of the variants, with their values in the order in which the steps name them.
class PageAxes {
 public:
  /// The index of a value of each axis that is known so far.
  std::vector<int> place(const plan::Axes& axes) {
    std::vector<int> places(axes_.size(), -1);
    for (const auto& [name, value] : axes) {
      const auto [axis, is_new] = names_.emplace(name, axes_.size());
      if (is_new) {
        axes_.push_back({name, {}});
        places.push_back(-1);
      }
      Axis& known = axes_[axis->second];
      const auto at = known.index.emplace(value, known.index.size()).first->second;
      places[axis->second] = static_cast<int>(at);
    }
    return places;
  }

  size_t size() const { return axes_.size(); }

  PageJson json() const {
    PageJson out = PageJson::array();
    for (const Axis& axis : axes_) {
      std::vector<std::string> values(axis.index.size());
      for (const auto& [value, at] : axis.index) values[at] = value;
      out.push_back({{"name", axis.name}, {"values", std::move(values)}});
    }
    return out;
  }

 private:
  struct Axis {
    std::string name;
    std::map<std::string, size_t> index = {};
  };
  std::vector<Axis> axes_;
  std::map<std::string, size_t> names_;
};

struct PageVariant {
  std::string id;
  std::vector<int> axes;
  std::vector<size_t> steps = {};
};

/// Collects the steps of each variant.
class PageVariants {
 public:
  explicit PageVariants(const std::vector<const StepOutcome*>& steps) : steps_(steps) {
    for (size_t i = 0; i < steps.size(); ++i) index_.emplace(steps[i]->id, i);
    const bool tested = std::any_of(steps.begin(), steps.end(), [](const StepOutcome* step) {
      return is_of_variant(step->id);
    });
    for (size_t i = 0; i < steps.size(); ++i) {
      const bool build = plan::kind_of_step(steps[i]->id) == plan::StepKind::build;
      if (tested ? is_of_variant(steps[i]->id) : build) add(i);
    }
  }

  void write(PageJson& out) {
    out["axes"] = axes_.json();
    PageJson& all = out["variants"] = PageJson::array();
    for (PageVariant& variant : variants_) {
      // Later steps may have named further axes.
      variant.axes.resize(axes_.size(), -1);
      all.push_back({{"id", variant.id}, {"axes", variant.axes}, {"steps", variant.steps}});
    }
  }

 private:
  static bool is_of_variant(const std::string& id) {
    const std::optional<plan::StepKind> kind = plan::kind_of_step(id);
    return kind == plan::StepKind::test || kind == plan::StepKind::install;
  }

  void add(size_t step) {
    const StepOutcome& outcome = *steps_[step];
    const bool build = plan::kind_of_step(outcome.id) == plan::StepKind::build;
    const std::string name =
        build ? outcome.id.substr(outcome.id.find(':') + 1) : plan::variant_of(outcome.id);
    const auto [known, is_new] = known_.emplace(name, variants_.size());
    if (is_new) {
      const plan::Axes alone = {{"variant", name}};
      variants_.push_back({name, axes_.place(outcome.axes.empty() ? alone : outcome.axes)});
    }
    PageVariant& variant = variants_[known->second];
    for (const std::string& need : outcome.needs) {
      const auto found = index_.find(need);
      if (found == index_.end() || !plan::makes_files(need)) continue;
      if (std::ranges::find(variant.steps, found->second) == variant.steps.end()) {
        variant.steps.push_back(found->second);
      }
    }
    variant.steps.push_back(step);
  }

  const std::vector<const StepOutcome*>& steps_;
  std::map<std::string_view, size_t> index_;
  std::map<std::string, size_t> known_;
  PageAxes axes_;
  std::vector<PageVariant> variants_;
};

/// The longest commands of an attempt, the longest first.
PageJson commands_page(const plan::AttemptTrace& trace) {
  constexpr size_t kShownCommands = 20;
  const auto length = [](const plan::TracedCommand& command) {
    return command.span.completed - command.span.start;
  };
  std::vector<const plan::TracedCommand*> longest;
  longest.reserve(trace.commands.size());
  for (const plan::TracedCommand& command : trace.commands) longest.push_back(&command);
  std::stable_sort(longest.begin(), longest.end(), [&length](const auto* left, const auto* right) {
    return length(*left) > length(*right);
  });
  if (longest.size() > kShownCommands) longest.resize(kShownCommands);
  PageJson out = PageJson::array();
  for (const plan::TracedCommand* const command : longest) {
    out.push_back({{"output", command->output},
                   {"kind", plan::to_string(command->kind)},
                   {"ms", length(*command).count()}});
  }
  return out;
}

class AttemptPage {
 public:
  AttemptPage(const analysis::RunTrace& trace, const std::vector<const StepOutcome*>& steps)
      : trace_(trace) {
    for (size_t i = 0; i < steps.size(); ++i) index_.emplace(steps[i]->id, i);
    if (!trace.slices.empty()) begun_ = trace.slices.front().trace.ran->start;
  }

  PageJson all() const {
    PageJson out = PageJson::array();
    for (const analysis::TraceSlice& slice : trace_.slices) out.push_back(one(slice));
    return out;
  }

 private:
  int64_t since_begin(plan::TraceTime time) const { return (time - begun_).count(); }

  PageJson one(const analysis::TraceSlice& slice) const {
    const plan::AttemptTrace& trace = slice.trace;
    PageJson phases = PageJson::array();
    for (const plan::TracedPhase& phase : trace.phases) {
      phases.push_back({{"phase", plan::to_string(phase.phase)},
                        {"start", since_begin(phase.span.start)},
                        {"end", since_begin(phase.span.completed)}});
    }
    PageJson waits = PageJson::array();
    for (const plan::TracedWait& wait : trace.waits) {
      waits.push_back(
          {{"cause", plan::to_string(wait.cause)}, {"on", wait.on}, {"ms", wait.spent.count()}});
    }
    const auto cpu = trace.cpu_time ? PageJson(trace.cpu_time->count()) : PageJson();
    return {{"step", index_.at(slice.id)},
            {"machine", slice.machine},
            {"slot", slice.lane},
            {"attempt", slice.attempt},
            {"state", plan::to_string(slice.state)},
            {"start", since_begin(trace.ran->start)},
            {"end", since_begin(trace.ran->completed)},
            {"phases", std::move(phases)},
            {"waits", std::move(waits)},
            {"cores", value_or_null(trace.cores)},
            {"cpu_ms", cpu},
            {"peak_memory", value_or_null(trace.peak_memory)},
            {"commands", commands_page(trace)}};
  }

  const analysis::RunTrace& trace_;
  std::map<std::string_view, size_t> index_;
  plan::TraceTime begun_;
};

PageJson critical_page(const analysis::RunTrace& trace) {
  const analysis::CriticalPath path = analysis::critical_path(trace);
  PageJson steps = PageJson::array();
  for (const analysis::CriticalStep& step : path.steps) {
    steps.push_back({{"first", step.first},
                     {"last", step.last},
                     {"spent_ms", step.spent.count()},
                     {"saves_ms", step.saves.count()}});
  }
  return {{"length_ms", path.length.count()}, {"steps", std::move(steps)}};
}

PageJson slots_page(const analysis::RunTrace& trace) {
  const analysis::SlotTime time = analysis::slot_time(trace);
  PageJson classes = PageJson::array();
  for (size_t i = 0; i < analysis::kSlotClasses; ++i) {
    const auto slot_class = static_cast<analysis::SlotClass>(i);
    classes.push_back({{"class", analysis::to_string(slot_class)},
                       {"title", analysis::title_of(slot_class)},
                       {"ms", time.spent[i].count()}});
  }
  return {{"makespan_ms", time.makespan.count()},
          {"slots", time.slots},
          {"classes", std::move(classes)}};
}

bool is_wheel_path(const std::string& path) {
  return path.ends_with(".whl");
}

/// From the first start to the last end; of a run without times, the sum of its steps.
std::chrono::milliseconds length_of(const run::RecordedRun& run) {
  std::optional<plan::TraceSpan> whole;
  std::chrono::milliseconds sum{0};
  for (const StepOutcome& outcome : run.outcomes) {
    sum += outcome.elapsed;
    for (const plan::AttemptTrace& trace : outcome.trace) {
      if (!trace.ran) continue;
      if (!whole) whole = trace.ran;
      whole->start = std::min(whole->start, trace.ran->start);
      whole->completed = std::max(whole->completed, trace.ran->completed);
    }
  }
  return whole ? whole->completed - whole->start : sum;
}

PageJson recorded_page(const run::RecordedRun& run) {
  size_t failed = 0;
  size_t reused = 0;
  uint64_t size = 0;
  uint64_t hits = 0;
  uint64_t misses = 0;
  for (const StepOutcome& outcome : run.outcomes) {
    for (const plan::AttemptTrace& trace : outcome.trace) {
      for (const plan::CacheHits& use : trace.caches) {
        if (!plan::is_compiler_cache(use)) continue;
        hits += use.hits;
        misses += use.misses;
      }
    }
    if (outcome.state == StepState::failed) ++failed;
    if (outcome.state == StepState::reused) ++reused;
    for (const plan::Output& output : outcome.outputs) {
      const bool build = plan::makes_files(outcome.id);
      if (build && is_wheel_path(output.path)) size += output.size;
    }
  }
  return {{"name", run.name},
          {"elapsed_ms", length_of(run).count()},
          {"steps", run.outcomes.size()},
          {"failed", failed},
          {"reused", reused},
          {"size", size},
          {"hits", hits},
          {"misses", misses}};
}

/// The states of a step with one key, oldest first; a repeated attempt of a step failed before.
using StatesOfKeys = std::map<std::pair<std::string, std::string>, std::vector<StepState>>;

StatesOfKeys states_of(const std::vector<run::RecordedRun>& runs) {
  StatesOfKeys all;
  for (const run::RecordedRun& run : runs) {
    for (const StepOutcome& outcome : run.outcomes) {
      const bool ran = outcome.state == StepState::done || outcome.state == StepState::failed;
      if (!ran || outcome.attempts == 0 || outcome.key.empty()) continue;
      std::vector<StepState>& states = all[{outcome.id, outcome.key}];
      for (int repeated = 1; repeated < outcome.attempts; ++repeated) {
        states.push_back(StepState::failed);
      }
      states.push_back(outcome.state);
    }
  }
  return all;
}

}  // namespace

nlohmann::ordered_json run_page(const std::vector<StepOutcome>& outcomes,
                                const analysis::RunTrace& trace) {
  const std::vector<const StepOutcome*> steps = distinct_steps(outcomes);
  PageJson out = PageJson::object();
  out["begun"] = trace.slices.empty()
                     ? PageJson()
                     : PageJson(plan::to_string(trace.slices.front().trace.ran->start));
  out["unmeasured"] = trace.unmeasured;
  PageVariants(steps).write(out);
  PageJson& all = out["steps"] = PageJson::array();
  for (const StepOutcome* const step : steps) all.push_back(step_page(*step));
  PageJson& machines = out["machines"] = PageJson::array();
  for (const analysis::TraceMachine& machine : trace.machines) {
    machines.push_back({{"name", machine.name},
                        {"slots", machine.lanes},
                        {"clock_offset_ms", machine.offset.count()}});
  }
  out["attempts"] = AttemptPage(trace, steps).all();
  out["critical"] = critical_page(trace);
  out["slot_time"] = slots_page(trace);
  return out;
}

nlohmann::ordered_json failures_page(const std::vector<FailureCause>& causes) {
  PageJson out = PageJson::array();
  for (const FailureCause& cause : causes) {
    out.push_back({{"steps", cause.steps}, {"text", cause.text}});
  }
  return out;
}

nlohmann::ordered_json history_page(const std::vector<run::RecordedRun>& runs, size_t most) {
  const size_t from = runs.size() - std::min(runs.size(), most);
  const std::vector<run::RecordedRun> last(runs.begin() + static_cast<std::ptrdiff_t>(from),
                                           runs.end());
  PageJson recorded = PageJson::array();
  for (const run::RecordedRun& run : last) recorded.push_back(recorded_page(run));
  PageJson flaky = PageJson::array();
  for (const auto& [step, states] : states_of(last)) {
    if (std::adjacent_find(states.begin(), states.end(), std::not_equal_to<>()) == states.end()) {
      continue;
    }
    std::vector<std::string_view> names;
    names.reserve(states.size());
    for (const StepState state : states) names.push_back(plan::to_string(state));
    flaky.push_back({{"id", step.first}, {"key", step.second}, {"states", std::move(names)}});
  }
  return {{"runs", std::move(recorded)}, {"flaky", std::move(flaky)}};
}

}  // namespace pinwheel::report
