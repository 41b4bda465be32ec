#include "run/order.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace pinwheel::run {
namespace {

std::string stem_of(const std::string& id) {
  std::string stem = id;
  for (char& c : stem) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' ||
                       c == '+' || c == '-';
    if (!plain) c = '-';
  }
  return stem;
}

}  // namespace

Graph make_graph(const plan::Plan& plan) {
  Graph graph;
  const size_t count = plan.steps.size();
  graph.needs.resize(count);
  graph.dependents.resize(count);
  graph.remaining.resize(count);
  std::map<std::string, size_t> position;
  for (size_t i = 0; i < count; ++i) {
    for (const std::string& need : plan.steps[i].needs) {
      const auto found = position.find(need);
      if (found == position.end()) {
        graph.unknown_needs.push_back(need);
        continue;
      }
      graph.needs[i].push_back(found->second);
      graph.dependents[found->second].push_back(i);
    }
    position.emplace(plan.steps[i].id, i);
  }
  for (size_t i = count; i-- > 0;) {
    double after = 0;
    for (const size_t next : graph.dependents[i]) after = std::max(after, graph.remaining[next]);
    graph.remaining[i] = plan.steps[i].predicted_seconds + after;
  }
  return graph;
}

std::vector<std::string> file_stems(const plan::Plan& plan) {
  std::vector<std::string> stems;
  std::set<std::string> used;
  for (const plan::Step& step : plan.steps) {
    const std::string base = stem_of(step.id);
    std::string stem = base;
    for (int i = 2; !used.insert(stem).second; ++i) stem = base + "+" + std::to_string(i);
    stems.push_back(std::move(stem));
  }
  return stems;
}

}  // namespace pinwheel::run
