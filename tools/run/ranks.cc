#include "run/ranks.h"

#include <random>
#include <utility>

#include "run/simulate.h"

namespace pinwheel::run {
namespace {

using std::chrono::milliseconds;
using Times = std::vector<milliseconds>;
using Ranks = std::vector<double>;

constexpr int kRounds = 2;
constexpr size_t kErroneous = 8;
constexpr double kError = 0.25;  ///< standard deviation of the logarithm

Ranks ends_of(const Simulation& simulation) {
  Ranks ends;
  ends.reserve(simulation.steps.size());
  for (const SimulatedStep& step : simulation.steps) {
    ends.push_back(std::chrono::duration<double>(step.end).count());
  }
  return ends;
}

/// The times of the plan, then the same with random errors.
std::vector<Times> possible_times(const Times& lasts) {
  std::vector<Times> all = {lasts};
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> error(0, kError);
  for (size_t i = 0; i < kErroneous; ++i) {
    Times& times = all.emplace_back(lasts);
    for (milliseconds& time : times) {
      time = milliseconds(static_cast<int64_t>(static_cast<double>(time.count()) * error(random)));
    }
  }
  return all;
}

/// Orders of a plan: that of the longest remaining paths, then those of schedules from its end.
std::vector<Ranks> candidates(const WantedResources& wanted, const Graph& graph,
                              const Budget& budget, const Times& lasts, Ranks longest_paths) {
  Graph reversed;
  reversed.needs = graph.dependents;
  reversed.dependents = graph.needs;
  std::vector<Ranks> orders = {std::move(longest_paths)};
  for (int round = 0; round < kRounds; ++round) {
    const Simulation forward = simulate(wanted, graph, {budget, lasts, orders.back()});
    // What ends last goes first; what ends last from there starts first.
    const Simulation backward = simulate(wanted, reversed, {budget, lasts, ends_of(forward)});
    orders.push_back(ends_of(backward));
  }
  return orders;
}

}  // namespace

std::vector<double> scheduling_ranks(const plan::Plan& plan, const Graph& graph,
                                     const Budget& budget, const std::vector<milliseconds>& lasts) {
  return scheduling_ranks(wanted_resources(plan), graph, budget, lasts);
}

std::vector<double> scheduling_ranks(const WantedResources& wanted, const Graph& graph,
                                     const Budget& budget, const std::vector<milliseconds>& lasts) {
  Ranks seconds;
  seconds.reserve(lasts.size());
  for (const milliseconds time : lasts) {
    seconds.push_back(std::chrono::duration<double>(time).count());
  }
  Ranks longest_paths = remaining_paths(graph, seconds);
  if (lasts.size() > kMostCompared || !graph.unknown_needs.empty()) return longest_paths;
  const std::vector<Times> possible = possible_times(lasts);
  std::vector<Ranks> orders = candidates(wanted, graph, budget, lasts, std::move(longest_paths));
  size_t best = 0;
  milliseconds shortest{0};
  for (size_t i = 0; i < orders.size(); ++i) {
    milliseconds sum{0};
    for (const Times& times : possible) {
      sum += simulate(wanted, graph, {budget, times, orders[i]}).makespan;
    }
    if (i == 0 || sum < shortest) {
      shortest = sum;
      best = i;
    }
  }
  return std::move(orders[best]);
}

}  // namespace pinwheel::run
