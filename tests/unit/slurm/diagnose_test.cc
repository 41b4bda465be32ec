#include "slurm/diagnose.h"

#include <nlohmann/json.hpp>

#include "unit/catch.h"

namespace pinwheel::slurm {
namespace {

using doctor::DoctorLine;
using doctor::DoctorVerdict;
using namespace std::chrono_literals;

/// A cluster that lacks nothing.
ClusterFacts good_cluster() {
  ClusterFacts facts;
  facts.programs = {"sbatch", "squeue", "scancel", "scontrol", "srun", "sacct"};
  facts.version = "22.05.8";
  facts.config = {{"ClusterName", "c"},
                  {"MaxArraySize", "1001"},
                  {"MaxMemPerNode", "UNLIMITED"},
                  {"DefMemPerCPU", "100"},
                  {"MinJobAge", "300 sec"}};
  facts.partitions = {{"all", true, true, 1h, 2}, {"gpu", true, false, std::nullopt, 1}};
  facts.nodes = {{"n1", {"all"}, ""}, {"g1", {"gpu"}, "gpu:a100:2"}};
  facts.accounted = 3;
  facts.shared = SharedDirectory::writable;
  facts.pinwheel = "/opt/pinwheel";
  facts.pinwheel_version = "1.0";
  facts.probe = JobProbe{true, "", true, "1.0"};
  return facts;
}

ExecutorSettings good_settings() {
  ExecutorSettings settings;
  settings.slurm.shared = "/shared";
  settings.slurm.test.partition = "gpu";
  settings.slurm.gres = {{"cuda", "gpu:1"}};
  return settings;
}

std::vector<DoctorLine> lines_of(const ClusterFacts& facts, const ExecutorSettings& settings) {
  return diagnose_cluster(facts, settings, {"cpu", "cuda/13.0"});
}

/// The lines that are not good, as "name: found".
std::vector<std::string> faults_of(const ClusterFacts& facts,
                                   const ExecutorSettings& settings = good_settings()) {
  std::vector<std::string> faults;
  for (const DoctorLine& line : lines_of(facts, settings)) {
    if (line.verdict == DoctorVerdict::good) continue;
    faults.push_back(line.name + ": " + line.found);
    // Whoever reads of a fault learns what to do, or what it means.
    CHECK_FALSE((line.fix.empty() && line.allows.empty()));
  }
  return faults;
}

using Faults = std::vector<std::string>;

TEST_CASE("a cluster that lacks nothing has only good lines") {
  CHECK(faults_of(good_cluster()).empty());
  CHECK(doctor::can_build(lines_of(good_cluster(), good_settings())));
}

TEST_CASE("missing programs and an old release are found") {
  ClusterFacts facts = good_cluster();
  facts.programs.erase("scancel");
  facts.programs.erase("sacct");
  CHECK(faults_of(facts) == Faults{"Slurm: `scancel` not found"});
  facts = good_cluster();
  facts.version = "20.02.3";
  CHECK(faults_of(facts) == Faults{"Slurm: 20.02.3"});
  facts = ClusterFacts();
  CHECK(faults_of(facts).front() ==
        "Slurm: `sbatch`, `squeue`, `scancel`, `scontrol`, `srun` not found");
}

TEST_CASE("without a controller nothing else about the cluster is claimed") {
  ClusterFacts facts;
  facts.programs = good_cluster().programs;
  facts.shared = SharedDirectory::writable;
  facts.problem = "munge does not respond";
  CHECK(faults_of(facts) == Faults{"controller: munge does not respond", "shared: /shared"});
}

TEST_CASE("partitions that do not exist, are down or have no nodes are found") {
  ClusterFacts facts = good_cluster();
  ExecutorSettings settings = good_settings();
  settings.slurm.build.partition = "al";
  CHECK(faults_of(facts, settings) == Faults{"partition: `al` does not exist"});
  facts.partitions[0].up = false;
  CHECK(faults_of(facts) == Faults{"partition: `all` is down"});
  facts = good_cluster();
  facts.partitions[0].nodes = 0;
  CHECK(faults_of(facts) == Faults{"partition: `all` has no nodes"});
  facts = good_cluster();
  facts.partitions[0].is_default = false;
  CHECK(faults_of(facts) == Faults{"partition: the cluster has no default partition"});
}

TEST_CASE("limits below what jobs request are found") {
  ClusterFacts facts = good_cluster();
  ExecutorSettings settings = good_settings();
  settings.slurm.build.time = 2h;
  CHECK(faults_of(facts, settings) == Faults{"time: partition `all` allows 1h00m"});
  CHECK_FALSE(doctor::can_build(lines_of(facts, settings)));
  settings.slurm.build.time = 30min;
  settings.slurm.build.time_limit = 2h;
  CHECK(faults_of(facts, settings) == Faults{"time: partition `all` allows 1h00m"});
  CHECK(doctor::can_build(lines_of(facts, settings)));
  settings = good_settings();
  facts.config["MaxMemPerNode"] = "1024";
  settings.slurm.build.memory = uint64_t{2} << 30U;
  CHECK(faults_of(facts, settings) == Faults{"memory: a job may have 1.1 GB"});
  facts = good_cluster();
  facts.config["DefMemPerCPU"] = "UNLIMITED";
  CHECK(faults_of(facts) == Faults{"memory: the cluster has no default (`DefMemPerCPU`)"});
  facts = good_cluster();
  facts.config["MaxArraySize"] = "11";
  CHECK(faults_of(facts) == Faults{"arrays: up to 10 tasks"});
}

TEST_CASE("GPUs that no node of the tests' partition has are found") {
  ClusterFacts facts = good_cluster();
  facts.nodes[1].gres = "";
  CHECK(faults_of(facts) ==
        Faults{"GPUs: no node of `gpu` has `gpu:1`, requested for `cuda/13.0`"});
  ExecutorSettings settings = good_settings();
  settings.slurm.gres.clear();
  CHECK(faults_of(facts, settings) == Faults{"GPUs: nothing is requested for `cuda/13.0`"});
}

TEST_CASE("without accounting the time to read a job's end is limited") {
  ClusterFacts facts = good_cluster();
  facts.accounted.reset();
  CHECK(faults_of(facts) == Faults{"accounting: none (sacct)"});
}

TEST_CASE("jobs that wait in vain are found, and others are nobody's business") {
  ClusterFacts facts = good_cluster();
  facts.jobs = {
      {.id = "7", .state = JobState::pending, .reason = "JobHeldUser", .comment = "mine"},
      {.id = "8", .state = JobState::pending, .reason = "Resources", .comment = "pinwheel:a"},
      {.id = "9", .state = JobState::pending, .reason = "JobHeldAdmin", .comment = "pinwheel:b"}};
  CHECK(faults_of(facts) == Faults{"job: job 9 is held (`JobHeldAdmin`)"});
}

TEST_CASE("a directory that is not shared, and a node without pinwheel, are found") {
  ClusterFacts facts = good_cluster();
  facts.shared = SharedDirectory::missing;
  CHECK(faults_of(facts) == Faults{"shared: /shared does not exist"});
  facts.shared = SharedDirectory::read_only;
  CHECK(faults_of(facts) == Faults{"shared: /shared cannot be written"});
  facts.shared = SharedDirectory::not_set;
  CHECK(faults_of(facts) == Faults{"shared: no directory is set"});
  facts = good_cluster();
  facts.probe->sees_shared = false;
  CHECK(faults_of(facts) ==
        Faults{"shared: /shared is not shared: a job did not see a file that was written here"});
  facts = good_cluster();
  facts.probe->pinwheel = "";
  CHECK(faults_of(facts) == Faults{"test job: the node has no pinwheel at /opt/pinwheel"});
  facts.probe->pinwheel = "0.9";
  CHECK(faults_of(facts) == Faults{"test job: the node has pinwheel 0.9, and this is 1.0"});
  facts.probe->ran = false;
  facts.probe->problem = "no node was free in time";
  CHECK(faults_of(facts) == Faults{"test job: did not run: no node was free in time"});
  facts = good_cluster();
  facts.probe.reset();
  CHECK(faults_of(facts) == Faults{"shared: /shared"});
}

TEST_CASE("the JSON has the lines, and the settings with their places") {
  ExecutorSettings settings = good_settings();
  settings.origins = {{"executor.slurm.shared", "/shared", {".pinwheel.yaml", 3, 5, ""}}};
  const std::vector<DoctorLine> lines = lines_of(good_cluster(), settings);
  CHECK(lines.back().found == "executor.slurm.shared: /shared (.pinwheel.yaml:3)");
  const nlohmann::json json = nlohmann::json::parse(to_json(settings, lines));
  CHECK(json["executor"] == "slurm");
  CHECK(json["lines"][0]["name"] == "Slurm");
  CHECK(json["lines"].size() + 1 == lines.size());
  CHECK(json["settings"][0]["file"] == ".pinwheel.yaml");
  CHECK(json["settings"][0]["line"] == 3);
}

}  // namespace
}  // namespace pinwheel::slurm
