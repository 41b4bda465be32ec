#include "slurm/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/parse_integer.h"
#include "base/text.h"
#include "matrix/config_error.h"
#include "matrix/merge.h"
#include "matrix/node.h"
#include "matrix/parse.h"
#include "matrix/schema.h"
#include "matrix/shapes.h"
#include "slurm/job_option.h"

namespace pinwheel::slurm {
namespace {

using matrix::Format;
using matrix::Key;
using matrix::Node;
using matrix::Shape;

constexpr std::array kJobKinds = {JobKind::environment, JobKind::build, JobKind::test};
constexpr int kMostCores = 100'000;

std::vector<Key> job_keys() {
  using namespace matrix::shapes;
  return {
      {"partition", scalar(Format::text), "the partition, or several with commas"},
      {"account", scalar(Format::text), "the account that is charged"},
      {"qos", scalar(Format::text), "the quality of service"},
      {"time", scalar(Format::duration), "the time that a job requests"},
      {"time-limit", scalar(Format::duration), "the most time that a retry requests"},
      {"memory", scalar(Format::bytes), "the memory that a job requests"},
      {"memory-limit", scalar(Format::bytes), "the most memory that a retry requests"},
      {"cores", scalar(Format::text), "the cores that a job requests"},
      {"options", list(scalar(Format::text), Shape::Empty::allowed),
       "additional options for sbatch"},
  };
}

Shape configuration_shape() {
  using namespace matrix::shapes;
  std::vector<Key> keys = job_keys();
  keys.push_back({"gres", mapping_to(scalar(Format::text), Shape::Empty::allowed),
                  "`--gres` of jobs that need a GPU, by compute"});
  keys.push_back({"shared", scalar(Format::text), "a directory on the shared file system"});
  keys.push_back({"poll", scalar(Format::duration), "the time between two checks of the queue"});
  keys.push_back(
      {"grace", scalar(Format::duration), "the grace period of a job that Slurm no longer knows"});
  for (const JobKind kind : kJobKinds) {
    keys.push_back({std::string(to_string(kind)), mapping(job_keys()), "settings of one kind"});
  }
  return mapping({
      {"executor",
       mapping({{"use", one_of({"local", "slurm"}), "the executor of runs"},
                {"slurm", mapping(std::move(keys)), "settings of the executor"}}),
       "where the steps of a run are executed"},
  });
}

/// Whether a file has comments, blanks and the start of a document only.
bool sets_nothing(std::string_view text) {
  for (const std::string& line : split(text, '\n')) {
    const std::string_view word = trim(line);
    if (!word.empty() && word[0] != '#' && word != "---") return false;
  }
  return true;
}

/// The problem of a value, if any.
Done check_word(const Node& node, std::string_view key) {
  if (is_job_word(node.scalar)) return {};
  return fail(matrix::config_error(
      fmt::format("{} cannot be {}", quoted(key), quoted(node.scalar)), node.at,
      "use printable ASCII without blanks, quotes, `\\` and `#`, and no `-` at the start"));
}

Result<std::string> word_at(const Node& mapping, std::string_view key,
                            const std::string& fallback) {
  const Node* const node = mapping.find(key);
  if (node == nullptr) return fallback;
  TRY_DONE(check_word(*node, key));
  return node->scalar;
}

Result<int> cores_at(const Node& mapping, int fallback) {
  const Node* const node = mapping.find("cores");
  if (node == nullptr) return fallback;
  const std::optional<int> cores = parse_integer(node->scalar);
  if (cores && *cores > 0 && *cores <= kMostCores) return *cores;
  return fail(
      matrix::config_error(fmt::format("`cores` must be a whole number from 1 to {}, and {} is not",
                                       kMostCores, quoted(node->scalar)),
                           node->at));
}

Result<std::vector<std::string>> options_at(const Node& mapping) {
  std::vector<std::string> options;
  const Node* const node = mapping.find("options");
  if (node == nullptr) return options;
  options.reserve(node->items.size());
  for (const Node& item : node->items) {
    OptionProblem problem = problem_of_option(item.scalar);
    if (!problem.message.empty()) {
      return fail(matrix::config_error(problem.message, item.at, std::move(problem.hint)));
    }
    options.push_back(item.scalar);
  }
  return options;
}

/// The place of an amount, for the error when it is above its limit.
const Node* given(const Node& mapping, std::string_view amount, std::string_view limit) {
  const Node* const node = mapping.find(amount);
  return node != nullptr ? node : mapping.find(limit);
}

Done check_limits(const Node& mapping, const JobSettings& job) {
  if (job.time_limit.count() > 0 && job.time > job.time_limit) {
    return fail(matrix::config_error(
        fmt::format("`time` ({}) is more than `time-limit` ({})", format_duration(job.time),
                    format_duration(job.time_limit)),
        given(mapping, "time", "time-limit")->at));
  }
  if (job.memory_limit > 0 && job.memory > job.memory_limit) {
    return fail(
        matrix::config_error(fmt::format("`memory` ({}) is more than `memory-limit` ({})",
                                         format_bytes(job.memory), format_bytes(job.memory_limit)),
                             given(mapping, "memory", "memory-limit")->at));
  }
  return {};
}

/// The settings in a mapping; those that it lacks are of `base`.
Result<JobSettings> read_job(const Node& mapping, const JobSettings& base) {
  JobSettings job = base;
  TRY(job.partition, word_at(mapping, "partition", base.partition));
  TRY(job.account, word_at(mapping, "account", base.account));
  TRY(job.qos, word_at(mapping, "qos", base.qos));
  TRY(job.cores, cores_at(mapping, base.cores));
  // The schema has checked the formats of these.
  if (const Node* const node = mapping.find("time")) job.time = *parse_duration(node->scalar);
  if (const Node* const node = mapping.find("time-limit")) {
    job.time_limit = *parse_duration(node->scalar);
  }
  if (const Node* const node = mapping.find("memory")) job.memory = *parse_bytes(node->scalar);
  if (const Node* const node = mapping.find("memory-limit")) {
    job.memory_limit = *parse_bytes(node->scalar);
  }
  TRY_DONE(check_limits(mapping, job));
  TRY(const std::vector<std::string> options, options_at(mapping));
  job.options.insert(job.options.end(), options.begin(), options.end());
  return job;
}

Result<SlurmSettings> read_slurm(const Node& mapping) {
  SlurmSettings settings;
  TRY(const JobSettings all, read_job(mapping, {}));
  const std::array<JobSettings*, 3> parts = {&settings.environment, &settings.build,
                                             &settings.test};
  for (size_t i = 0; i < parts.size(); ++i) {
    const Node* const part = mapping.find(to_string(kJobKinds.at(i)));
    *parts.at(i) = all;
    if (part != nullptr) {
      TRY(*parts.at(i), read_job(*part, all));
    }
  }
  if (const Node* const gres = mapping.find("gres")) {
    for (const Node::Member& member : gres->members) {
      TRY_DONE(check_word(member.value, "gres"));
      settings.gres[member.key] = member.value.scalar;
    }
  }
  // The schema has checked the formats of these.
  if (const Node* const node = mapping.find("poll")) settings.poll = *parse_duration(node->scalar);
  if (const Node* const node = mapping.find("grace")) {
    settings.grace = *parse_duration(node->scalar);
  }
  if (const Node* const shared = mapping.find("shared")) {
    if (!shared->scalar.starts_with('/')) {
      return fail(matrix::config_error(
          fmt::format("`shared` must be an absolute path, and {} is not", quoted(shared->scalar)),
          shared->at));
    }
    TRY_DONE(check_word(*shared, "shared"));
    settings.shared = shared->scalar;
  }
  return settings;
}

std::string as_written(const Node& node) {
  if (node.type != Node::Type::sequence) return node.scalar;
  std::vector<std::string> items;
  items.reserve(node.items.size());
  for (const Node& item : node.items) items.push_back(item.scalar);
  return fmt::format("[{}]", join(items, ", "));
}

void add_origins(const Node& node, const std::string& key, std::vector<SettingOrigin>& origins) {
  if (node.type != Node::Type::mapping) {
    origins.push_back({key, as_written(node), node.at});
    return;
  }
  for (const Node::Member& member : node.members) {
    add_origins(member.value, key.empty() ? member.key : fmt::format("{}.{}", key, member.key),
                origins);
  }
}

/// Whether a key of `gres` stands for the compute.
bool stands_for(std::string_view pattern, std::string_view compute) {
  return pattern == "default" || glob_match(pattern, compute) ||
         (pattern.find('/') == std::string_view::npos &&
          glob_match(pattern, compute.substr(0, compute.find('/'))));
}

}  // namespace

std::string_view to_string(JobKind kind) {
  switch (kind) {
    case JobKind::environment:
      return "environment";
    case JobKind::build:
      return "build";
    case JobKind::test:
      return "test";
  }
  return "";
}

const JobSettings& SlurmSettings::of(JobKind kind) const {
  switch (kind) {
    case JobKind::environment:
      return environment;
    case JobKind::build:
      return build;
    case JobKind::test:
      return test;
  }
  return build;
}

std::string SlurmSettings::gres_for(std::string_view compute) const {
  const auto rank = [&](const std::string& pattern) {
    if (pattern == compute) return std::string::npos;
    return pattern == "default" ? size_t{0} : pattern.size();
  };
  const std::pair<const std::string, std::string>* best = nullptr;
  for (const auto& rule : gres) {
    if (!stands_for(rule.first, compute)) continue;
    if (best == nullptr || rank(rule.first) > rank(best->first)) best = &rule;
  }
  return best == nullptr ? std::string() : best->second;
}

Result<ExecutorSettings> read_settings(const std::vector<ConfigurationText>& files) {
  const Shape shape = configuration_shape();
  Node all;
  all.type = Node::Type::mapping;
  for (const ConfigurationText& file : files) {
    if (sets_nothing(file.text)) continue;
    TRY(const Node root, matrix::read_yaml(file.text, file.file, "configuration"));
    TRY_DONE(matrix::validate(root, shape, "a configuration file"));
    // Each file is checked by itself: an error must not depend on what another file replaces.
    if (const Node* const executor = root.find("executor")) {
      if (const Node* const slurm = executor->find("slurm")) TRY_DONE(read_slurm(*slurm));
    }
    all = matrix::merged(std::move(all), root);
  }
  ExecutorSettings settings;
  add_origins(all, {}, settings.origins);
  const Node* const executor = all.find("executor");
  if (executor == nullptr) return settings;
  if (const Node* const use = executor->find("use")) settings.use = use->scalar;
  if (const Node* const slurm = executor->find("slurm")) {
    TRY(settings.slurm, read_slurm(*slurm));
  }
  return settings;
}

}  // namespace pinwheel::slurm
