#include "plan/store_answer.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "plan/step_id.h"

namespace pinwheel::plan {
namespace {

std::vector<KeyDifference> known_differences(const StoreQuestion& question,
                                             const store::Entry& result) {
  std::vector<KeyDifference> differences = map_differences(result.parts, question.key.parts);
  std::erase_if(differences, [&](const KeyDifference& one) {
    return std::any_of(question.key.unknown.begin(), question.key.unknown.end(),
                       [&](const std::string& need) { return one.name == "needs " + need; });
  });
  return differences;
}

std::vector<PackageDifference> known_packages(const StoreQuestion& question,
                                              const store::Entry& result,
                                              const std::vector<KeyDifference>& differences) {
  const bool same = std::none_of(differences.begin(), differences.end(), is_of_environment);
  if (same || question.packages.empty() || result.packages.empty()) return {};
  return map_differences(result.packages, question.packages);
}

StoreAnswer answer_of(const StoreQuestion& question, const StoreReply& reply) {
  // An incomplete key may differ in the other parts.
  if (!reply.differences.empty() || !question.key.unknown.empty()) return StoreAnswer::other_key;
  if (!store::may_read(question.domain, reply.nearest->writer.domain)) {
    return StoreAnswer::other_domain;
  }
  const bool skipped = reply.nearest->ending == store::Ending::skipped;
  return skipped ? StoreAnswer::skipped : StoreAnswer::lacks_files;
}

}  // namespace

bool is_of_environment(const KeyDifference& difference) {
  return difference.name.starts_with("needs env:");
}

std::string_view to_string(StoreAnswer answer) {
  switch (answer) {
    case StoreAnswer::taken:
      return "taken";
    case StoreAnswer::handed_off:
      return "handed-off";
    case StoreAnswer::skipped:
      return "skipped";
    case StoreAnswer::other_domain:
      return "other-domain";
    case StoreAnswer::lacks_files:
      return "lacks-files";
    case StoreAnswer::other_key:
      return "other-key";
    case StoreAnswer::nothing:
      return "nothing";
  }
  return {};
}

StoreReply taken_reply(StoreQuestion question, store::Entry result) {
  StoreReply reply;
  reply.differences = known_differences(question, result);
  reply.answer = reply.differences.empty() ? StoreAnswer::taken : StoreAnswer::handed_off;
  reply.nearest = std::move(result);
  reply.question = std::move(question);
  return reply;
}

StoreReply missing_reply(StoreQuestion question, const std::vector<store::Entry>& stored) {
  // A smaller distance is nearer.
  const auto distance = [&question](const store::Entry& result) {
    return std::tuple(result.step != question.step, known_differences(question, result).size(),
                      !store::may_read(question.domain, result.writer.domain),
                      result.ending != store::Ending::done);
  };
  StoreReply reply;
  for (const store::Entry& result : stored) {
    if (kind_of_step(result.step) != kind_of_step(question.step)) continue;
    // A checkpoint is no result.
    if (result.ending == store::Ending::unfinished) continue;
    const bool nearer =
        !reply.nearest || distance(result) < distance(*reply.nearest) ||
        (distance(result) == distance(*reply.nearest) && result.finished > reply.nearest->finished);
    if (nearer) reply.nearest = result;
  }
  if (reply.nearest) {
    reply.differences = known_differences(question, *reply.nearest);
    reply.packages = known_packages(question, *reply.nearest, reply.differences);
    reply.answer = answer_of(question, reply);
  }
  reply.question = std::move(question);
  return reply;
}

}  // namespace pinwheel::plan
