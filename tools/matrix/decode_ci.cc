#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/text.h"
#include "matrix/condition.h"
#include "matrix/config_error.h"
#include "matrix/decode.h"
#include "store/place_description.h"

namespace pinwheel::matrix {
namespace {

/// Checks `COMPUTE@ARCH`: each of the two must match a value of its axis. Without an axis `arch`,
/// the runner determines the architecture.
Done check_pattern(const Node::Member& member, const Matrix& matrix) {
  const size_t at = member.key.find('@');
  const std::string compute = member.key.substr(0, at);
  if (compute == "default") return {};
  if (!compute.empty()) {
    TRY_DONE(check_pattern(compute, "compute", member.key_at, matrix));
  }
  if (at == std::string::npos || find_axis(matrix, "arch") == nullptr) return {};
  return check_pattern(member.key.substr(at + 1), "arch", member.key_at, matrix);
}

Result<std::vector<RunnerRule>> decode_runners(const Node* node, const Matrix& matrix) {
  std::vector<RunnerRule> rules;
  if (node == nullptr) return rules;
  if (node->type != Node::Type::mapping) {
    rules.push_back({"default", strings_of(*node), node->at});
    return rules;
  }
  for (const Node::Member& member : node->members) {
    TRY_DONE(check_pattern(member, matrix));
    rules.push_back({member.key, strings_of(member.value), member.key_at});
  }
  return rules;
}

Result<std::vector<DriverRule>> decode_drivers(const Node* node, const Matrix& matrix) {
  std::vector<DriverRule> rules;
  if (node == nullptr) return rules;
  if (node->type != Node::Type::mapping) return std::vector<DriverRule>{{"default", node->scalar}};
  for (const Node::Member& member : node->members) {
    TRY_DONE(check_pattern(member, matrix));
    rules.push_back({member.key, member.value.scalar});
  }
  return rules;
}

Done decode_environments(const Node& ci, Matrix& matrix) {
  const Node* const environments = ci.find("environments");
  if (environments == nullptr) return {};
  std::vector<std::string> targets;
  for (const PublishTarget& target : matrix.targets) targets.push_back(target.name);
  for (const Node::Member& member : environments->members) {
    if (std::find(targets.begin(), targets.end(), member.key) == targets.end()) {
      return fail(config_error(fmt::format("unknown publish target {}", quoted(member.key)),
                               member.key_at, suggest(member.key, targets)));
    }
    matrix.ci.environments[member.key] = member.value.scalar;
  }
  return {};
}

Result<store::PlaceDescription> decode_place(const Node& node) {
  Result<store::PlaceDescription> place = store::parse_place(node.scalar, store::NamedBy::matrix);
  if (!place) return fail(config_error(place.error().message, node.at, place.error().hint));
  return place;
}

/// The place as it is written: workflows pass it on. It is checked here, before a job fails on it.
Result<std::string> decode_ci_store(const Node* node) {
  if (node == nullptr) return std::string();
  TRY_DONE(decode_place(*node));
  return node->scalar;
}

std::chrono::seconds seconds_or(const Node& ci, std::string_view key,
                                std::chrono::seconds fallback) {
  const Node* const time = ci.find(key);
  // The schema has checked that it is a duration.
  return time == nullptr
             ? fallback
             : std::chrono::ceil<std::chrono::seconds>(parse_duration(time->scalar).value());
}

/// Rejects a comparison with results that no job could find: artifacts belong to one run.
Done check_keys(const Node& root, const Node& ci, const CiSettings& settings) {
  const bool stored = ci.find("store") != nullptr || root.find("store") != nullptr;
  if (settings.pull_requests == PullRequestRuns::everything || stored) return {};
  const Node& on = *ci.find("on");
  const Node* const keys = on.find("keys");
  return fail(config_error("`ci.on.keys` needs a store, which has the results of the base",
                           keys == nullptr ? on.at : keys->at,
                           "add a place that all runs share: `ci: {store: s3://bucket/prefix}`"));
}

void decode_triggers(const Node& ci, CiSettings& settings) {
  const Node* const on = ci.find("on");
  if (on == nullptr) return;
  const bool keys = on->scalar == "keys" || text_or(*on, "keys", "false") == "true";
  settings.pull_requests = keys ? PullRequestRuns::changed_keys : PullRequestRuns::everything;
  if (const Node* const paths = on->find("paths")) settings.paths = strings_of(*paths);
  if (const Node* const tags = on->find("tags")) settings.tags = strings_of(*tags);
  settings.nightly = text_or(*on, "nightly", settings.nightly);
}

/// Rejects an engine for jobs in a container, which cannot start other containers.
Done check_engine(const Node& ci, const CiSettings& settings) {
  const bool contained =
      settings.engine == JobEngine::docker || settings.engine == JobEngine::podman;
  if (!contained || settings.container.image.empty()) return {};
  return fail(
      config_error("`ci.container` and `ci.engine` exclude each other: a job in a "
                   "container starts no others",
                   ci.find("engine")->at, "leave out `ci.container`, or write `engine: host`"));
}

}  // namespace

Done decode_stores(const Node& root, Matrix& matrix) {
  const Node* const stores = root.find("store");
  if (stores == nullptr) return {};
  for (const Node& item : stores->items) {
    TRY(store::PlaceDescription place, decode_place(item));
    matrix.stores.push_back(std::move(place));
  }
  return {};
}

Done decode_ci(const Node& root, Matrix& matrix) {
  const Node* const ci = root.find("ci");
  if (ci == nullptr) return {};
  CiSettings& settings = matrix.ci;
  settings.name = text_or(*ci, "name", "");
  decode_triggers(*ci, settings);
  TRY_DONE(check_keys(root, *ci, settings));
  if (const Node* const runners = ci->find("runners")) {
    TRY(settings.build_runners, decode_runners(runners->find("build"), matrix));
    TRY(settings.test_runners, decode_runners(runners->find("test"), matrix));
  }
  if (const Node* const container = ci->find("container")) {
    settings.container = {text_or(*container, "image", ""), text_or(*container, "prepare", "")};
  }
  TRY(settings.drivers, decode_drivers(ci->find("driver"), matrix));
  settings.timeout = seconds_or(*ci, "timeout", settings.timeout);
  settings.retention = seconds_or(*ci, "retention", settings.retention);
  settings.checkpoint_retention = seconds_or(*ci, "retention", settings.checkpoint_retention);
  static const std::map<std::string, JobEngine> kEngines = {{"", JobEngine::automatic},
                                                            {"host", JobEngine::host},
                                                            {"docker", JobEngine::docker},
                                                            {"podman", JobEngine::podman}};
  settings.engine = kEngines.at(text_or(*ci, "engine", ""));
  TRY_DONE(check_engine(*ci, settings));
  const std::string concurrency = text_or(*ci, "concurrency", "cancel");
  settings.concurrency = concurrency == "queue" ? Outdated::queue : Outdated::cancel;
  settings.forks = text_or(*ci, "forks", "test") == "build" ? ForkJobs::build : ForkJobs::test;
  const bool comments = text_or(*ci, "comment", "false") == "true";
  settings.comment = comments ? CommentPolicy::written : CommentPolicy::none;
  TRY(settings.store, decode_ci_store(ci->find("store")));
  return decode_environments(*ci, matrix);
}

}  // namespace pinwheel::matrix
