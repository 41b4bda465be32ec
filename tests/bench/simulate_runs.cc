#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "run/ranks.h"
#include "run/simulate.h"

// How close the policy of runs comes to the bound that no schedule can beat: simulates random plans
// and prints the makespan divided by max(critical path, work / slots), as JSON. The peer starts
// steps in the order in which they become ready.
//   simulate_runs [PLANS [JOBS [SLOTS]]]
//
// Half of the plans are releases: 3 to 10 environments of about a minute, 10 to 30 builds with one
// environment each, tests with one build each, and up to 2 publications that need everything. Half
// are 2 to 6 layers of jobs that need 1 to 3 jobs of the layer before. Times are log-normal: the
// median of builds is 2 to 30 minutes, of tests 20 s to 5 min, of layered jobs 1 to 10 min, and the
// deviation of the logarithm 0.2 to 0.8, drawn for each plan.
namespace {

using namespace pinwheel;
using std::chrono::milliseconds;

constexpr double kError = 0.25;

/// Portable draws: the distributions of the standard library differ between implementations.
class Draw {
 public:
  explicit Draw(uint64_t seed) : random_(seed) {}

  /// In [0, 1).
  double share() { return static_cast<double>(random_() >> 11U) * 0x1p-53; }
  double between(double low, double high) { return low + (high - low) * share(); }
  size_t below(size_t count) { return random_() % count; }
  size_t count(size_t least, size_t most) { return least + below(most - least + 1); }
  double log_normal(double median, double sigma) {
    constexpr double kPi = 3.14159265358979323846;
    const double normal = std::sqrt(-2 * std::log(1 - share())) * std::cos(2 * kPi * share());
    return median * std::exp(sigma * normal);
  }

 private:
  std::mt19937_64 random_;
};

struct Jobs {
  plan::Plan plan;
  std::vector<milliseconds> lasts;

  void add(double seconds, const std::vector<size_t>& needs) {
    plan::Step step{std::to_string(plan.steps.size()), {}, plan::CreateEnvironment{}};
    for (const size_t need : needs) step.needs.push_back(std::to_string(need));
    plan.steps.push_back(std::move(step));
    lasts.emplace_back(std::max<int64_t>(1, std::llround(seconds * 1000)));
  }
  size_t size() const { return plan.steps.size(); }
};

Jobs release(Draw& draw, size_t count) {
  Jobs jobs;
  const double build_sigma = draw.between(0.2, 0.8);
  const double test_sigma = draw.between(0.2, 0.8);
  const double build_median = draw.between(120, 1800);
  const double test_median = draw.between(20, 300);
  const size_t environments = draw.count(3, 10);
  const size_t builds = draw.count(10, 30);
  const size_t publications = draw.count(0, 2);
  for (size_t i = 0; i < environments; ++i) jobs.add(draw.log_normal(60, 0.4), {});
  for (size_t i = 0; i < builds; ++i) {
    jobs.add(draw.log_normal(build_median, build_sigma), {draw.below(environments)});
  }
  while (jobs.size() < count - publications) {
    jobs.add(draw.log_normal(test_median, test_sigma), {environments + draw.below(builds)});
  }
  std::vector<size_t> all(jobs.size() - environments);
  std::iota(all.begin(), all.end(), environments);
  while (jobs.size() < count) jobs.add(draw.log_normal(30, 0.3), all);
  return jobs;
}

Jobs layers(Draw& draw, size_t count) {
  Jobs jobs;
  std::vector<size_t> sizes(draw.count(2, 6));
  for (size_t i = 0; i < count; ++i) ++sizes[draw.below(sizes.size())];
  const double median = draw.between(60, 600);
  const double sigma = draw.between(0.2, 0.8);
  size_t before = 0;
  size_t begin = 0;
  for (const size_t size : sizes) {
    for (size_t i = 0; i < size; ++i) {
      std::vector<size_t> needs;
      for (size_t n = draw.count(1, 3); n > 0 && begin > before; --n) {
        const size_t need = before + draw.below(begin - before);
        if (std::ranges::find(needs, need) == needs.end()) needs.push_back(need);
      }
      jobs.add(draw.log_normal(median, sigma), needs);
    }
    if (size == 0) continue;
    before = begin;
    begin = jobs.size();
  }
  return jobs;
}

/// The makespan divided by the bound, by rank.
double ratio_of(const Jobs& jobs, const std::vector<double>& ranks, int slots) {
  const run::Graph graph = run::make_graph(jobs.plan);
  run::Assumptions assumed{run::slots_budget(jobs.plan, slots), jobs.lasts, ranks};
  const milliseconds makespan = run::simulate(jobs.plan, graph, std::move(assumed)).makespan;
  const milliseconds bound = run::least_time(graph, jobs.lasts, slots).bound;
  return static_cast<double>(makespan.count()) / static_cast<double>(bound.count());
}

std::string row(const char* name, std::vector<double> ratios) {
  std::sort(ratios.begin(), ratios.end());
  const double sum = std::accumulate(ratios.begin(), ratios.end(), 0.0);
  return fmt::format(R"("{}": {{"mean": {:.4f}, "p95": {:.4f}, "max": {:.4f}}})", name,
                     sum / static_cast<double>(ratios.size()),
                     ratios[(ratios.size() - 1) * 95 / 100], ratios.back());
}

/// The time to simulate a plan of many jobs, in ms.
double time_of_large_plan(int slots) {
  Draw draw(1);
  const Jobs jobs = release(draw, 10000);
  const auto begin = std::chrono::steady_clock::now();
  const run::Budget budget = run::slots_budget(jobs.plan, slots);
  const run::Graph graph = run::make_graph(jobs.plan);
  ratio_of(jobs, run::scheduling_ranks(jobs.plan, graph, budget, jobs.lasts), slots);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

size_t argument(int count, char** values, int at, size_t otherwise) {
  return count > at ? std::strtoul(values[at], nullptr, 10) : otherwise;
}

}  // namespace

int main(int count, char** values) {
  const size_t plans = argument(count, values, 1, 500);
  const size_t size = argument(count, values, 2, 75);
  const auto slots = static_cast<int>(argument(count, values, 3, 12));
  std::vector<double> exact;
  std::vector<double> inexact;
  std::vector<double> fifo;
  for (size_t seed = 0; seed < plans; ++seed) {
    Draw draw(seed);
    Jobs jobs = seed % 2 == 0 ? release(draw, size) : layers(draw, size);
    const run::Graph graph = run::make_graph(jobs.plan);
    const run::Budget budget = run::slots_budget(jobs.plan, slots);
    const auto predict = [&](double error) {
      for (size_t i = 0; i < jobs.size(); ++i) {
        const double seconds = static_cast<double>(jobs.lasts[i].count()) / 1000;
        jobs.plan.steps[i].predicted_seconds = draw.log_normal(seconds, error);
      }
      return ratio_of(
          jobs, run::scheduling_ranks(jobs.plan, graph, budget, run::predicted_times(jobs.plan)),
          slots);
    };
    exact.push_back(predict(0));
    inexact.push_back(predict(kError));
    // Of the ready ones, the first of the plan: plans list environments, then builds, then tests.
    fifo.push_back(ratio_of(jobs, std::vector<double>(jobs.size()), slots));
  }
  fmt::print("{{\"plans\": {}, \"jobs\": {}, \"slots\": {}, {}, {}, {}, \"large_ms\": {:.1f}}}\n",
             plans, size, slots, row("true", exact), row("error", inexact), row("fifo", fifo),
             time_of_large_plan(slots));
  return 0;
}
