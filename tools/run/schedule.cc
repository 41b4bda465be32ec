#include "run/schedule.h"

#include <algorithm>
#include <numeric>

namespace pinwheel::run {

void StepLists::add(std::span<const size_t> list) {
  all_.insert(all_.end(), list.begin(), list.end());
  ends_.push_back(all_.size());
}

StepLists StepLists::inverted() const {
  StepLists lists;
  lists.all_.resize(all_.size());
  lists.ends_.resize(size());
  for (const size_t step : all_) ++lists.ends_[step];
  std::partial_sum(lists.ends_.begin(), lists.ends_.end(), lists.ends_.begin());
  // Each list is filled from its end.
  std::vector<size_t> next = lists.ends_;
  for (size_t i = size(); i-- > 0;) {
    for (const size_t step : (*this)[i]) lists.all_[--next[step]] = i;
  }
  return lists;
}

Graph make_graph(const plan::Plan& plan) {
  Graph graph;
  graph.needs.reserve(plan.steps.size());
  std::vector<size_t> needs;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    needs.clear();
    for (const std::string& need : plan.steps[i].needs) {
      const auto found = graph.position.find(need);
      if (found == graph.position.end()) {
        graph.unknown_needs.push_back(need);
      } else {
        needs.push_back(found->second);
      }
    }
    graph.needs.add(needs);
    graph.position.emplace(plan.steps[i].id, i);
  }
  graph.dependents = graph.needs.inverted();
  return graph;
}

Graph graph_of(const std::vector<plan::TimedStep>& steps) {
  Graph graph;
  graph.needs.reserve(steps.size());
  for (const plan::TimedStep& step : steps) graph.needs.add(step.needs);
  graph.dependents = graph.needs.inverted();
  return graph;
}

WantedResources wanted_resources(const plan::Plan& plan) {
  WantedResources wanted;
  wanted.reserve(plan.steps.size());
  for (const plan::Step& step : plan.steps) wanted.push_back(&step.resources);
  return wanted;
}

WantedResources wanted_resources(const std::vector<plan::TimedStep>& steps) {
  WantedResources wanted;
  wanted.reserve(steps.size());
  for (const plan::TimedStep& step : steps) wanted.push_back(&step.resources);
  return wanted;
}

std::vector<double> remaining_paths(const Graph& graph, const std::vector<double>& lasts) {
  std::vector<double> remaining(lasts.size());
  for (size_t i = lasts.size(); i-- > 0;) {
    double after = 0;
    for (const size_t next : graph.dependents[i]) after = std::max(after, remaining[next]);
    remaining[i] = lasts[i] + after;
  }
  return remaining;
}

std::vector<double> predicted_seconds(const plan::Plan& plan) {
  std::vector<double> seconds;
  seconds.reserve(plan.steps.size());
  for (const plan::Step& step : plan.steps) seconds.push_back(step.predicted_seconds);
  return seconds;
}

ReadySteps::ReadySteps(const plan::Plan& plan, std::vector<double> ranks, Budget budget)
    : ReadySteps(wanted_resources(plan), std::move(ranks), std::move(budget)) {}

ReadySteps::ReadySteps(WantedResources wanted, std::vector<double> ranks, Budget budget)
    : wanted_(std::move(wanted)),
      ranks_(std::move(ranks)),
      ledger_(std::move(budget)),
      waits_in_(wanted_.size()) {}

ReadySteps::Queue& ReadySteps::queue_of(size_t step, int cores_limit) {
  const plan::Resources& wanted = *wanted_[step];
  const auto [found, is_new] = queue_by_need_.try_emplace(
      Need{wanted.cores_min, wanted.cores_max, wanted.memory_per_core, wanted.pools, cores_limit},
      queues_.size());
  if (is_new) queues_.push_back({&wanted, cores_limit});
  waits_in_[step] = found->second;
  return queues_[found->second];
}

void ReadySteps::add(size_t step, int cores_limit) {
  Queue& queue = queue_of(step, cores_limit);
  const Place place{-ranks_[step], step};
  // Steps of equal rank become ready in plan order.
  queue.steps.insert(queue.steps.end(), place);
  queue.added.push_back(place);
}

void ReadySteps::remove(size_t step) {
  if (!waits_in_[step]) return;
  queues_[*waits_in_[step]].steps.erase({-ranks_[step], step});
  waits_in_[step].reset();
}

ReadySteps::Queue* ReadySteps::first_queue() {
  Queue* first = nullptr;
  for (Queue& queue : queues_) {
    if (queue.steps.empty() || queue.shortage) continue;
    if (first == nullptr || *queue.steps.begin() < *first->steps.begin()) first = &queue;
  }
  return first;
}

std::optional<StartedStep> ReadySteps::next() {
  while (Queue* const queue = first_queue()) {
    const std::optional<int> cores = ledger_.fit(*queue->wanted, queue->cores_limit);
    if (!cores) {
      // Resources only become fewer until a step ends, so the others of the queue lack them, too.
      queue->shortage = ledger_.shortage(*queue->wanted, queue->cores_limit);
      continue;
    }
    const StartedStep started{queue->steps.begin()->second, *cores};
    remove(started.step);
    take(started);
    return started;
  }
  return std::nullopt;
}

void ReadySteps::take(const StartedStep& running) {
  ledger_.take(*wanted_[running.step], running.cores);
}

void ReadySteps::release(const StartedStep& ended) {
  ledger_.release(*wanted_[ended.step], ended.cores);
  for (Queue& queue : queues_) queue.shortage.reset();
}

std::vector<std::pair<size_t, Shortage>> ReadySteps::new_shortages() {
  std::vector<std::pair<size_t, Shortage>> all;
  for (Queue& queue : queues_) {
    if (!queue.shortage) continue;
    if (queue.reported != queue.shortage)
      queue.added.assign(queue.steps.begin(), queue.steps.end());
    for (const Place& place : queue.added) {
      if (queue.steps.contains(place)) all.emplace_back(place.second, *queue.shortage);
    }
    queue.added.clear();
    queue.reported = queue.shortage;
  }
  return all;
}

uint64_t ReadySteps::memory_of(const StartedStep& running) const {
  return ledger_.memory_share(*wanted_[running.step], running.cores);
}

}  // namespace pinwheel::run
