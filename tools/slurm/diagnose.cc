#include "slurm/diagnose.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/text.h"
#include "slurm/classify.h"

namespace pinwheel::slurm {
namespace {

using doctor::DoctorLine;
using doctor::DoctorVerdict;

constexpr std::array kKinds = {JobKind::environment, JobKind::build, JobKind::test};
/// The cluster limits the number of tasks in an array. If the limit is below this number, a release
/// of 100 builds needs several arrays.
constexpr int kSmallArray = 100;
/// How the comments of the executor's jobs begin.
constexpr std::string_view kCommentPrefix = "pinwheel:";

std::string value_in(const ClusterFacts& facts, const std::string& name) {
  return value_at(facts.config, name);
}

DoctorLine programs(const ClusterFacts& facts) {
  DoctorLine line{"Slurm", DoctorVerdict::good,
                  facts.version.empty() ? "of unknown version" : facts.version};
  std::vector<std::string> missing;
  for (const char* const program : kSlurmPrograms) {
    if (std::string_view(program) != "sacct" && !facts.programs.contains(program)) {
      missing.emplace_back(program);
    }
  }
  if (!missing.empty()) {
    line.verdict = DoctorVerdict::missing;
    line.found = fmt::format("{} not found", quoted_list(missing));
    line.fix = "load the module of Slurm, or run this on a login node of the cluster";
  } else if (!facts.version.empty() && !is_supported(facts.version)) {
    line.verdict = DoctorVerdict::missing;
    line.allows = "pinwheel needs 20.11 or newer";
    line.fix = "ask the administrator for a newer release";
  }
  return line;
}

DoctorLine controller(const ClusterFacts& facts) {
  if (facts.problem.empty()) {
    const std::string name = value_in(facts, "ClusterName");
    return {"controller", DoctorVerdict::good,
            name.empty() ? "responds" : fmt::format("of cluster {} responds", quoted(name))};
  }
  DoctorLine line{"controller", DoctorVerdict::missing, facts.problem, "no job can be submitted"};
  if (facts.problem == "munge does not respond") {
    line.fix = "start munged on this machine: `systemctl start munge`";
  } else if (facts.problem == "no slurm.conf was found") {
    line.fix = "set `SLURM_CONF`, or run this on a login node of the cluster";
  } else if (facts.problem == "authentication failed") {
    line.fix = "compare the munge key and the clock of this machine with those of the controller";
  } else {
    line.fix = "try again later, or ask the administrator";
  }
  return line;
}

const Partition* find_partition(const ClusterFacts& facts, const std::string& name) {
  const auto found = std::ranges::find(facts.partitions, name, &Partition::name);
  return found == facts.partitions.end() ? nullptr : &*found;
}

/// The partitions that the jobs of a kind may run in; the default one if none is set.
std::vector<std::string> partitions_of(const ClusterFacts& facts, const JobSettings& job) {
  if (!job.partition.empty()) return split(job.partition, ',');
  for (const Partition& each : facts.partitions) {
    if (each.is_default) return {each.name};
  }
  return {};
}

DoctorLine partition_line(const ClusterFacts& facts, const std::string& name) {
  DoctorLine line{"partition", DoctorVerdict::good, quoted(name)};
  const Partition* const partition = find_partition(facts, name);
  if (partition == nullptr) {
    std::vector<std::string> names;
    for (const Partition& each : facts.partitions) names.push_back(each.name);
    line.verdict = DoctorVerdict::missing;
    line.found += " does not exist";
    line.fix = suggest(name, names);
  } else if (!partition->up || partition->nodes == 0) {
    line.verdict = DoctorVerdict::missing;
    line.found += partition->up ? " has no nodes" : " is down";
    line.fix = "set `executor.slurm.partition` to another one";
  } else {
    line.found += fmt::format(", {}", plural(static_cast<size_t>(partition->nodes), "node"));
  }
  return line;
}

std::vector<DoctorLine> partition_lines(const ClusterFacts& facts, const SlurmSettings& settings) {
  std::vector<DoctorLine> lines;
  std::set<std::string> seen;
  bool without = false;
  for (const JobKind kind : kKinds) {
    const std::vector<std::string> names = partitions_of(facts, settings.of(kind));
    without = without || names.empty();
    for (const std::string& name : names) {
      if (seen.insert(name).second) lines.push_back(partition_line(facts, name));
    }
  }
  if (without) {
    lines.push_back({"partition",
                     DoctorVerdict::missing,
                     "the cluster has no default partition",
                     {},
                     "set `executor.slurm.partition`"});
  }
  return lines;
}

/// A line for each kind whose jobs request more time than its partitions allow.
std::vector<DoctorLine> time_lines(const ClusterFacts& facts, const SlurmSettings& settings) {
  std::vector<DoctorLine> lines;
  for (const JobKind kind : kKinds) {
    const JobSettings& job = settings.of(kind);
    for (const std::string& name : partitions_of(facts, job)) {
      const Partition* const partition = find_partition(facts, name);
      if (partition == nullptr || !partition->longest) continue;
      const bool never = job.time > *partition->longest;
      if (!never && job.time_limit <= *partition->longest) continue;
      lines.push_back(
          {"time", never ? DoctorVerdict::missing : DoctorVerdict::limited,
           fmt::format("partition {} allows {}", quoted(name),
                       format_duration(*partition->longest)),
           fmt::format("jobs of kind {} request {}{}", quoted(std::string(to_string(kind))),
                       never ? "" : "up to ", format_duration(never ? job.time : job.time_limit)),
           never ? "lower `time`, or set another `partition`"
                 : "lower `time-limit`, or set another `partition`"});
    }
  }
  return lines;
}

/// "100" of "100", "UNLIMITED" otherwise.
bool is_limit(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, is_digit) && text != "0";
}

std::vector<DoctorLine> memory_lines(const ClusterFacts& facts, const SlurmSettings& settings) {
  std::vector<DoctorLine> lines;
  const std::string per_node = value_in(facts, "MaxMemPerNode");
  if (is_limit(per_node) && per_node.size() < 10) {
    const uint64_t most = std::stoull(per_node) << 20U;
    for (const JobKind kind : kKinds) {
      if (settings.of(kind).memory <= most) continue;
      lines.push_back(
          {"memory", DoctorVerdict::missing, fmt::format("a job may have {}", format_bytes(most)),
           fmt::format("jobs of kind {} request {}", quoted(std::string(to_string(kind))),
                       format_bytes(settings.of(kind).memory)),
           "lower `memory`"});
    }
  }
  const std::string fallback = value_in(facts, "DefMemPerCPU");
  const std::string on_node = value_in(facts, "DefMemPerNode");
  if (settings.build.memory == 0 && !is_limit(fallback) && !is_limit(on_node)) {
    lines.push_back(
        {"memory", DoctorVerdict::limited, "the cluster has no default (`DefMemPerCPU`)",
         "a job without `memory` may get all memory of a node", "set `executor.slurm.memory`"});
  }
  return lines;
}

std::vector<DoctorLine> array_lines(const ClusterFacts& facts) {
  const std::string most = value_in(facts, "MaxArraySize");
  if (!is_limit(most) || most.size() > 9) return {};
  // A task's number is below the limit.
  const int tasks = std::stoi(most) - 1;
  return {{"arrays", tasks < kSmallArray ? DoctorVerdict::limited : DoctorVerdict::good,
           fmt::format("up to {}", plural(static_cast<size_t>(tasks), "task")),
           tasks < kSmallArray ? "a large plan becomes several arrays" : ""}};
}

DoctorLine gres_line(const ClusterFacts& facts, const SlurmSettings& settings,
                     const std::string& gres, const std::string& compute) {
  const std::vector<std::string> names = partitions_of(facts, settings.test);
  const bool here = std::ranges::any_of(facts.nodes, [&](const ClusterNode& node) {
    return provides(node.gres, gres) && std::ranges::any_of(names, [&](const std::string& name) {
             return node.partitions.contains(name);
           });
  });
  DoctorLine line{"GPUs", DoctorVerdict::good,
                  fmt::format("{} for {}", quoted(gres), quoted(compute))};
  if (here) return line;
  line.verdict = DoctorVerdict::missing;
  line.found = fmt::format("no node of {} has {}, requested for {}", quoted_list(names),
                           quoted(gres), quoted(compute));
  line.fix = "set `executor.slurm.gres`, or `executor.slurm.test.partition`";
  return line;
}

std::vector<DoctorLine> gres_lines(const ClusterFacts& facts, const SlurmSettings& settings,
                                   const std::vector<std::string>& computes) {
  std::vector<DoctorLine> lines;
  std::set<std::string> seen;
  for (const std::string& compute : computes) {
    const std::string gres = settings.gres_for(compute);
    if (!gres.empty()) {
      if (seen.insert(gres).second) lines.push_back(gres_line(facts, settings, gres, compute));
    } else if (compute != "cpu") {
      lines.push_back({"GPUs", DoctorVerdict::limited,
                       fmt::format("nothing is requested for {}", quoted(compute)),
                       "tests that need a GPU get a node without one",
                       "set `executor.slurm.gres`, for instance `{cuda: \"gpu:1\"}`"});
    }
  }
  if (!computes.empty()) return lines;
  for (const auto& rule : settings.gres) {
    lines.push_back(gres_line(facts, settings, rule.second, rule.first));
  }
  return lines;
}

DoctorLine accounting(const ClusterFacts& facts) {
  if (facts.accounted) {
    return {"accounting", DoctorVerdict::good,
            fmt::format("sacct has {} of the last day", plural(*facts.accounted, "job"))};
  }
  const std::string age = value_in(facts, "MinJobAge");
  return {"accounting", DoctorVerdict::limited, "none (sacct)",
          fmt::format("the end of a job can be read for {} only; pinwheel reads the results that "
                      "jobs write",
                      age.empty() ? "some minutes" : age)};
}

/// A line for each job of pinwheel that waits in vain.
std::vector<DoctorLine> job_lines(const ClusterFacts& facts) {
  std::vector<DoctorLine> lines;
  for (const Job& job : facts.jobs) {
    if (has_ended(job.state) || !job.comment.starts_with(kCommentPrefix)) continue;
    const JobVerdict verdict = classify_slurm(job, {});
    if (verdict.end == JobEnd::none) continue;
    lines.push_back({"job", DoctorVerdict::limited, verdict.text, {}, verdict.hint});
  }
  return lines;
}

DoctorLine shared(const ClusterFacts& facts, const SlurmSettings& settings) {
  DoctorLine line{"shared", DoctorVerdict::good, settings.shared};
  switch (facts.shared) {
    case SharedDirectory::not_set:
      line.verdict = DoctorVerdict::limited;
      line.found = "no directory is set";
      line.fix = "set `executor.slurm.shared` to a directory that the nodes see";
      return line;
    case SharedDirectory::missing:
      line.verdict = DoctorVerdict::missing;
      line.found += " does not exist";
      line.fix = fmt::format("mkdir -p {}", shell_quote(settings.shared));
      return line;
    case SharedDirectory::read_only:
      line.verdict = DoctorVerdict::missing;
      line.found += " cannot be written";
      line.fix = "set `executor.slurm.shared` to a directory of yours";
      return line;
    case SharedDirectory::writable:
      break;
  }
  if (!facts.probe) {
    line.verdict = DoctorVerdict::limited;
    line.allows = "pinwheel does not know whether the nodes see it";
    line.fix = "pinwheel doctor --executor slurm --test-job";
  } else if (facts.probe->ran && !facts.probe->sees_shared) {
    line.verdict = DoctorVerdict::missing;
    line.found += " is not shared: a job did not see a file that was written here";
    line.fix = "set `executor.slurm.shared` to a directory on a shared file system";
  }
  return line;
}

DoctorLine test_job(const ClusterFacts& facts) {
  const JobProbe& probe = *facts.probe;
  if (!probe.ran) {
    return {"test job", DoctorVerdict::missing, fmt::format("did not run: {}", probe.problem),
            "pinwheel does not know whether jobs can run",
            "run `sinfo` to see the states of the nodes"};
  }
  if (probe.pinwheel.empty()) {
    return {"test job", DoctorVerdict::missing,
            fmt::format("the node has no pinwheel at {}", facts.pinwheel), "no step can run there",
            "install pinwheel on a shared file system"};
  }
  if (probe.pinwheel != facts.pinwheel_version) {
    return {"test job",
            DoctorVerdict::missing,
            fmt::format("the node has pinwheel {}, and this is {}", probe.pinwheel,
                        facts.pinwheel_version),
            {},
            "install the same release on the nodes"};
  }
  return {"test job", DoctorVerdict::good,
          fmt::format("ran pinwheel {} on a node", probe.pinwheel)};
}

void append(std::vector<DoctorLine>& lines, std::vector<DoctorLine> more) {
  std::ranges::move(more, std::back_inserter(lines));
}

}  // namespace

std::vector<DoctorLine> diagnose_cluster(const ClusterFacts& facts,
                                         const ExecutorSettings& settings,
                                         const std::vector<std::string>& computes) {
  std::vector<DoctorLine> lines = {programs(facts)};
  const SlurmSettings& slurm = settings.slurm;
  if (facts.programs.contains("scontrol")) lines.push_back(controller(facts));
  if (facts.programs.contains("scontrol") && facts.problem.empty()) {
    append(lines, partition_lines(facts, slurm));
    append(lines, time_lines(facts, slurm));
    append(lines, memory_lines(facts, slurm));
    append(lines, array_lines(facts));
    append(lines, gres_lines(facts, slurm, computes));
    lines.push_back(accounting(facts));
    append(lines, job_lines(facts));
  }
  lines.push_back(shared(facts, slurm));
  if (facts.probe) lines.push_back(test_job(facts));
  if (!facts.variables.empty()) {
    lines.push_back({"variables", DoctorVerdict::limited, quoted_list(facts.variables),
                     "sbatch takes options from them, for all jobs",
                     "unset them, or write them into a configuration file"});
  }
  for (const SettingOrigin& origin : settings.origins) {
    lines.push_back(
        {"setting", DoctorVerdict::good,
         fmt::format("{}: {} ({}:{})", origin.key, origin.value, origin.at.file, origin.at.line)});
  }
  return lines;
}

std::string to_json(const ExecutorSettings& settings, const std::vector<DoctorLine>& lines) {
  nlohmann::json list = nlohmann::json::array();
  for (const DoctorLine& line : lines) {
    if (line.name == "setting") continue;
    list.push_back({{"name", line.name},
                    {"verdict", doctor::to_string(line.verdict)},
                    {"found", line.found},
                    {"allows", line.allows},
                    {"fix", line.fix}});
  }
  nlohmann::json origins = nlohmann::json::array();
  for (const SettingOrigin& origin : settings.origins) {
    origins.push_back({{"key", origin.key},
                       {"value", origin.value},
                       {"file", origin.at.file},
                       {"line", origin.at.line}});
  }
  const nlohmann::json json = {
      {"format", 1}, {"executor", "slurm"}, {"lines", list}, {"settings", origins}};
  return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace pinwheel::slurm
