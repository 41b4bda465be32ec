#include "prepare/slurm_cluster.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "host/system/program.h"
#include "slurm/allocation.h"
#include "slurm/growth_limits.h"

namespace pinwheel::prepare {
namespace {

namespace fs = std::filesystem;

/// Clients repeat what munge refuses for 50 seconds.
constexpr std::chrono::seconds kFirstReply{60};
constexpr std::chrono::seconds kReply{20};
/// How long a test job may wait for a node.
constexpr std::chrono::seconds kWait{60};
constexpr const char* kSeen = "pinwheel-doctor-file-seen";

/// The caller of Slurm's commands, which need more of its variables than other helper programs see:
/// the location of the configuration, and tokens of the cluster.
struct Client {
  const host::EnvMachine& machine;
  const std::map<std::string, std::string>& variables;
};

/// Runs a command of Slurm, which prints times as seconds since 1970.
ports::Captured ask_slurm(const Client& client, std::vector<std::string> argv,
                          std::chrono::seconds limit) {
  std::map<std::string, std::string> variables =
      slurm::command_variables(client.variables, argv.at(0));
  ports::Command command{std::move(argv), "/", std::move(variables), limit};
  Result<ports::Captured> ran = client.machine.process.capture(command);
  if (ran) return std::move(*ran);
  ports::Captured missing;
  missing.exit.code = 127;
  missing.err = ran.error().message;
  return missing;
}

std::string answer(const Client& client, std::vector<std::string> argv) {
  const ports::Captured ran = ask_slurm(client, std::move(argv), kReply);
  return ran.exit.ok() ? ran.out : std::string();
}

/// Writes a file into the shared directory, and returns its path; empty if that fails.
fs::path write_probe(const host::EnvMachine& machine, const std::string& directory) {
  const fs::path file = fs::path(directory) / fmt::format(".pinwheel-doctor-{}", ::getpid());
  return machine.files.write(file, kSeen) ? file : fs::path();
}

slurm::SharedDirectory shared_directory(const host::EnvMachine& machine, const std::string& path) {
  if (path.empty()) return slurm::SharedDirectory::not_set;
  if (machine.files.resolved_type(path) != ports::FileType::directory) {
    return slurm::SharedDirectory::missing;
  }
  const fs::path file = write_probe(machine, path);
  if (file.empty()) return slurm::SharedDirectory::read_only;
  const Done removed = machine.files.remove_all(file);
  return removed ? slurm::SharedDirectory::writable : slurm::SharedDirectory::read_only;
}

/// The last line of a text that is not blank.
std::string last_line(std::string_view text) {
  text = trim(text);
  const size_t end = text.rfind('\n');
  return std::string(trim(end == std::string_view::npos ? text : text.substr(end + 1)));
}

/// Runs a job on a node with srun.
slurm::JobProbe probe_node(const Client& client, const slurm::SlurmSettings& settings,
                           const std::string& program) {
  const host::EnvMachine& machine = client.machine;
  const slurm::JobSettings& job = settings.build;
  std::vector<std::string> argv = {"srun",      "--job-name=pinwheel-doctor",
                                   "--nodes=1", "--ntasks=1",
                                   "--time=2",  fmt::format("--immediate={}", kWait.count()),
                                   "--chdir=/", "--mpi=none"};
  if (!job.partition.empty()) argv.push_back("--partition=" + job.partition);
  if (!job.account.empty()) argv.push_back("--account=" + job.account);
  if (!job.qos.empty()) argv.push_back("--qos=" + job.qos);
  argv.insert(argv.end(), job.options.begin(), job.options.end());
  const fs::path file =
      settings.shared.empty() ? fs::path() : write_probe(machine, settings.shared);
  const std::string script = R"(echo pinwheel-doctor-ran; cat "$1"; echo; "$2" --version; exit 0)";
  argv.insert(argv.end(), {"sh", "-c", script, "sh", file.empty() ? "/" : file.string(), program});
  const ports::Captured ran = ask_slurm(client, std::move(argv), kWait + kReply);
  if (!file.empty()) static_cast<void>(machine.files.remove_all(file));
  slurm::JobProbe probe;
  probe.ran = ran.out.find("pinwheel-doctor-ran\n") != std::string::npos;
  probe.problem = ran.exit.timed_out ? "no node was free in time" : last_line(ran.err);
  probe.sees_shared = ran.out.find(kSeen) != std::string::npos;
  const std::string version = last_line(ran.out);
  if (version.starts_with("pinwheel ")) probe.pinwheel = version.substr(sizeof("pinwheel ") - 1);
  return probe;
}

std::vector<slurm::Partition> partitions_of(const Client& client) {
  return slurm::read_partitions(answer(client, {"scontrol", "show", "partition", "--oneliner"}));
}

std::vector<slurm::ClusterNode> nodes_of(const Client& client) {
  return slurm::read_nodes(answer(client, {"scontrol", "show", "node", "--oneliner"}));
}

}  // namespace

Done check_test_job(const std::string& executor) {
  if (executor == "slurm") return {};
  return fail(ErrorKind::usage, "`--test-job` needs `--executor slurm`",
              "run `pinwheel doctor --executor slurm --test-job`");
}

slurm::ClusterFacts gather_cluster_facts(const Host& host, const host::EnvMachine& machine,
                                         const slurm::SlurmSettings& settings, TestJob test_job,
                                         const std::string& program) {
  const Client client{machine, host.variables};
  slurm::ClusterFacts facts;
  facts.pinwheel = program;
  facts.pinwheel_version = kPinwheelVersion;
  facts.variables = slurm::overriding_variables(host.variables);
  facts.shared = shared_directory(machine, settings.shared);
  for (const char* const name : slurm::kSlurmPrograms) {
    if (host::find_program(name, host.variables)) facts.programs.insert(name);
  }
  if (!facts.programs.contains("scontrol")) return facts;
  const ports::Captured ping = ask_slurm(client, {"scontrol", "ping"}, kFirstReply);
  if (!ping.exit.ok()) {
    facts.problem = slurm::ping_problem(ping.out, ping.err);
    return facts;
  }
  facts.version = slurm::read_version(answer(client, {"sbatch", "--version"}));
  facts.config = slurm::read_config(answer(client, {"scontrol", "show", "config"}));
  facts.partitions = partitions_of(client);
  facts.nodes = nodes_of(client);
  const std::string user = std::to_string(::getuid());
  facts.jobs = slurm::read_squeue(answer(client, slurm::squeue_command(user)));
  if (facts.programs.contains("sacct")) {
    const ports::Captured sacct =
        ask_slurm(client, slurm::sacct_command(user, std::chrono::hours(24)), kReply);
    if (sacct.exit.ok()) facts.accounted = slurm::read_sacct(sacct.out).size();
  }
  if (test_job == TestJob::submit && facts.programs.contains("srun")) {
    facts.probe = probe_node(client, settings, program);
  }
  return facts;
}

slurm::SlurmSettings within_limits(const Host& host, const host::EnvMachine& machine,
                                   slurm::SlurmSettings settings) {
  if (const std::optional<slurm::Allocation> own = slurm::read_allocation(host.variables)) {
    return slurm::within_allocation(std::move(settings), *own);
  }
  const Client client{machine, host.variables};
  const std::vector<slurm::Partition> partitions = partitions_of(client);
  // If Slurm did not respond once, another question would only make the run wait again.
  if (partitions.empty()) return settings;
  return slurm::within_cluster(std::move(settings), partitions, nodes_of(client));
}

}  // namespace pinwheel::prepare
