#include "analysis/critical_path.h"

#include <algorithm>
#include <map>
#include <optional>
#include <queue>
#include <utility>

namespace pinwheel::analysis {
namespace {

using std::chrono::milliseconds;

/// The attempts of a step on one machine.
struct Work {
  size_t first = 0;
  size_t last = 0;
  milliseconds spent{0};
};

struct Edge {
  size_t from = 0;
  size_t to = 0;
};

/// The executed steps by start, and which of them needs which.
struct WorkGraph {
  std::vector<Work> works;
  std::vector<Edge> edges;  ///< from a lower index to a higher one
};

milliseconds length_of(const plan::TraceSpan& span) {
  return std::max(milliseconds(0), span.completed - span.start);
}

WorkGraph graph_of(const RunTrace& trace) {
  WorkGraph graph;
  std::map<std::pair<std::string, size_t>, size_t> numbers;
  std::vector<size_t> work_of(trace.slices.size());
  for (size_t i = 0; i < trace.slices.size(); ++i) {
    const TraceSlice& slice = trace.slices[i];
    const auto [found, added] = numbers.try_emplace({slice.id, slice.machine}, graph.works.size());
    if (added) graph.works.push_back({i, i});
    Work& work = graph.works[found->second];
    work.last = i;
    work.spent += length_of(*slice.trace.ran);
    work_of[i] = found->second;
  }
  for (Work& work : graph.works) {
    // Attempts of a step overlap only in a record that is wrong.
    const milliseconds span =
        trace.slices[work.last].trace.ran->completed - trace.slices[work.first].trace.ran->start;
    work.spent = std::clamp(work.spent, milliseconds(0), std::max(milliseconds(0), span));
  }
  graph.edges.reserve(trace.flows.size());
  for (const TraceFlow& flow : trace.flows) {
    const Edge edge{work_of[flow.from], work_of[flow.to]};
    if (edge.from < edge.to) graph.edges.push_back(edge);
  }
  std::ranges::sort(graph.edges, {}, &Edge::from);
  return graph;
}

/// The longest chains that end in each step and that start with it, both with the step itself.
struct Chains {
  std::vector<milliseconds> until;
  std::vector<milliseconds> from;
  std::vector<std::optional<size_t>> next;  ///< on the longest chain from the step
};

Chains chains_of(const WorkGraph& graph) {
  Chains chains;
  chains.next.resize(graph.works.size());
  for (const Work& work : graph.works) chains.until.push_back(work.spent);
  chains.from = chains.until;
  for (const Edge& edge : graph.edges) {
    chains.until[edge.to] =
        std::max(chains.until[edge.to], chains.until[edge.from] + graph.works[edge.to].spent);
  }
  for (auto edge = graph.edges.rbegin(); edge != graph.edges.rend(); ++edge) {
    const milliseconds through = graph.works[edge->from].spent + chains.from[edge->to];
    if (through <= chains.from[edge->from] && chains.next[edge->from]) continue;
    chains.from[edge->from] = std::max(through, chains.from[edge->from]);
    chains.next[edge->from] = edge->to;
  }
  return chains;
}

/// For each step, the longest chain without it. Such a chain ends before the step, starts after it,
/// or has an edge that passes it.
std::vector<milliseconds> longest_without(const WorkGraph& graph, const Chains& chains) {
  const size_t count = graph.works.size();
  std::vector<milliseconds> after(count + 1, milliseconds(0));
  for (size_t i = count; i > 0; --i) after[i - 1] = std::max(after[i], chains.from[i - 1]);
  std::vector<milliseconds> longest(count);
  milliseconds before{0};
  std::priority_queue<std::pair<milliseconds, size_t>> passing;  ///< length, end of the edge
  size_t edge = 0;
  for (size_t i = 0; i < count; ++i) {
    for (; edge < graph.edges.size() && graph.edges[edge].from < i; ++edge) {
      const Edge& each = graph.edges[edge];
      passing.emplace(chains.until[each.from] + chains.from[each.to], each.to);
    }
    while (!passing.empty() && passing.top().second <= i) passing.pop();
    longest[i] = std::max(before, after[i + 1]);
    if (!passing.empty()) longest[i] = std::max(longest[i], passing.top().first);
    before = std::max(before, chains.until[i]);
  }
  return longest;
}

}  // namespace

milliseconds makespan(const RunTrace& trace) {
  if (trace.slices.empty()) return milliseconds(0);
  const plan::TraceTime begin = trace.slices.front().trace.ran->start;
  plan::TraceTime end = begin;
  for (const TraceSlice& slice : trace.slices) end = std::max(end, slice.trace.ran->completed);
  return end - begin;
}

CriticalPath critical_path(const RunTrace& trace) {
  CriticalPath path;
  const WorkGraph graph = graph_of(trace);
  if (graph.works.empty()) return path;
  const Chains chains = chains_of(graph);
  const std::vector<milliseconds> without = longest_without(graph, chains);
  std::optional<size_t> at = std::ranges::max_element(chains.from) - chains.from.begin();
  path.length = chains.from[*at];
  for (; at; at = chains.next[*at]) {
    const Work& work = graph.works[*at];
    const milliseconds shorter = std::max(without[*at], path.length - work.spent);
    path.steps.push_back({trace.slices[work.first].id, work.first, work.last, work.spent,
                          path.length - std::min(path.length, shorter)});
  }
  return path;
}

}  // namespace pinwheel::analysis
