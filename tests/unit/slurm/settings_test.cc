#include "slurm/settings.h"

#include "unit/catch.h"

namespace pinwheel::slurm {
namespace {

ExecutorSettings settings_of(const std::vector<ConfigurationText>& files) {
  Result<ExecutorSettings> settings = read_settings(files);
  if (!settings) FAIL(render(settings.error()));
  return std::move(*settings);
}

/// The rendered error of a project's file.
std::string error_in(const std::string& text) {
  const Result<ExecutorSettings> settings = read_settings({{".pinwheel.yaml", text}});
  return settings ? "no error" : render(settings.error());
}

std::string error_of_job(const std::string& lines) {
  return error_in("executor:\n  slurm:\n" + lines);
}

bool has(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

TEST_CASE("without a file nothing is set") {
  const ExecutorSettings settings = settings_of({});
  CHECK(settings.use.empty());
  CHECK(settings.slurm.build == JobSettings());
  CHECK(settings.origins.empty());
  CHECK(settings_of({{"a", ""}, {"b", "# executor:\n\n---\n"}}).origins.empty());
}

TEST_CASE("settings of all jobs hold for each kind, and a kind may differ") {
  const ExecutorSettings settings = settings_of({{".pinwheel.yaml", R"(
executor:
  use: slurm
  slurm:
    partition: cpu,long
    account: lab
    qos: normal
    time: 90 min
    time-limit: 24 h
    memory: 8 GiB
    memory-limit: 64 GiB
    cores: 128
    shared: /scratch/pinwheel
    poll: 30 s
    grace: 2 min
    options: [--exclusive]
    environment: {time: 20 min}
    build: {memory: 32 GiB, options: ["--constraint=avx512&ib"]}
    test: {partition: gpu, cores: 4}
    gres: {cuda: "gpu:1", rocm/7.1: "gpu:mi300:2"}
)"}});
  CHECK(settings.use == "slurm");
  const JobSettings& build = settings.slurm.of(JobKind::build);
  CHECK(build.partition == "cpu,long");
  CHECK(build.account == "lab");
  CHECK(build.qos == "normal");
  CHECK(build.time == std::chrono::minutes(90));
  CHECK(build.time_limit == std::chrono::hours(24));
  CHECK(build.memory == uint64_t{32} << 30U);
  CHECK(build.memory_limit == uint64_t{64} << 30U);
  CHECK(build.cores == 128);
  CHECK(build.options == std::vector<std::string>{"--exclusive", "--constraint=avx512&ib"});
  const JobSettings& test = settings.slurm.of(JobKind::test);
  CHECK(test.partition == "gpu");
  CHECK(test.cores == 4);
  CHECK(test.memory == uint64_t{8} << 30U);
  CHECK(test.options == std::vector<std::string>{"--exclusive"});
  CHECK(settings.slurm.of(JobKind::environment).time == std::chrono::minutes(20));
  CHECK(settings.slurm.shared == "/scratch/pinwheel");
  CHECK(settings.slurm.poll == std::chrono::seconds(30));
  CHECK(settings.slurm.grace == std::chrono::minutes(2));
}

TEST_CASE("a key of the project's file replaces the user's, and its place is shown") {
  const std::string user =
      "executor:\n  slurm:\n    partition: mine\n    time: 2 h\n    options: [--nice, "
      "--spread-job]\n"
      "    gres: {cuda: gpu:1, rocm: gpu:1}\n    build: {qos: low}\n";
  const std::string project =
      "executor:\n  slurm:\n    partition: theirs\n    options: [--reservation=x]\n"
      "    gres: {cuda: gpu:2}\n    build: {cores: 8}\n";
  const ExecutorSettings settings =
      settings_of({{"/home/u/config.yaml", user}, {".pinwheel.yaml", project}});
  const JobSettings& build = settings.slurm.of(JobKind::build);
  CHECK(build.partition == "theirs");
  CHECK(build.time == std::chrono::hours(2));
  CHECK(build.qos == "low");
  CHECK(build.cores == 8);
  CHECK(build.options == std::vector<std::string>{"--reservation=x"});
  CHECK(settings.slurm.gres_for("cuda/13.0") == "gpu:2");
  CHECK(settings.slurm.gres_for("rocm/7.1") == "gpu:1");
  std::map<std::string, std::string> places;
  for (const SettingOrigin& origin : settings.origins) {
    places[origin.key] = origin.value + " " + origin.at.file + ":" + std::to_string(origin.at.line);
  }
  CHECK(places["executor.slurm.partition"] == "theirs .pinwheel.yaml:3");
  CHECK(places["executor.slurm.time"] == "2 h /home/u/config.yaml:4");
  CHECK(places["executor.slurm.options"] == "[--reservation=x] .pinwheel.yaml:4");
  CHECK(places["executor.slurm.build.qos"] == "low /home/u/config.yaml:7");
  CHECK(places["executor.slurm.gres.rocm"] == "gpu:1 /home/u/config.yaml:6");
}

TEST_CASE("the longest pattern decides about GPUs") {
  SlurmSettings settings;
  settings.gres = {{"default", "gpu:1"},
                   {"cuda", "gpu:h100:1"},
                   {"cuda/12.*", "gpu:a100:1"},
                   {"cuda/12.6", "gpu:v100:1"},
                   {"cpu", "none"}};
  CHECK(settings.gres_for("cuda/13.0") == "gpu:h100:1");
  CHECK(settings.gres_for("cuda/12.9") == "gpu:a100:1");
  CHECK(settings.gres_for("cuda/12.6") == "gpu:v100:1");
  CHECK(settings.gres_for("rocm/7.1") == "gpu:1");
  CHECK(settings.gres_for("cpu") == "none");
  settings.gres.erase("default");
  CHECK(settings.gres_for("rocm/7.1").empty());
}

TEST_CASE("an error in a configuration file has its place") {
  CHECK(error_of_job("    partion: gpu\n") ==
        "error: unknown key `partion`\n"
        "  --> .pinwheel.yaml:3:5\n"
        "    |\n"
        "  3 |     partion: gpu\n"
        "    |     ^\n"
        "hint: did you mean `partition`?\n");
  CHECK(has(error_in("executer: {}\n"), "hint: did you mean `executor`?"));
  CHECK(has(error_in("executor: {use: slrm}\n"), "`use` cannot be `slrm`"));
  CHECK(has(error_of_job("    time: soon\n"), "`time` must be a nonzero duration"));
  CHECK(has(error_of_job("    memory: 4 apples\n"), "`memory` must be a nonzero size"));
  CHECK(has(error_of_job("    cores: 1.5\n"), "`cores` must be a whole number from 1 to 100000"));
  CHECK(has(error_of_job("    cores: 0\n"), "and `0` is not"));
  CHECK(has(error_of_job("    grace: 0s\n"), "`grace` must be a nonzero duration"));
  CHECK(has(error_of_job("    poll: often\n"), "`poll` must be a nonzero duration"));
  CHECK(has(error_of_job("    test: {poll: 1 s}\n"), "unknown key `poll`"));
  CHECK(has(error_of_job("    shared: scratch\n"), "`shared` must be an absolute path"));
  CHECK(has(error_of_job("    time: 2 h\n    time-limit: 1 h\n"),
            "`time` (2h00m) is more than `time-limit` (1h00m)"));
  CHECK(has(error_of_job("    time-limit: 1 h\n    test: {time: 2 h}\n"), ".pinwheel.yaml:4:18"));
  CHECK(has(error_of_job("    memory: 2 GB\n    build: {memory-limit: 1 GB}\n"),
            "`memory` (2.0 GB) is more than `memory-limit` (1.0 GB)"));
  CHECK(has(error_in("executor: {}\n---\nexecutor: {}\n"),
            "a configuration file is one YAML document"));
  CHECK(has(error_in("executor: [\n"), ".pinwheel.yaml:"));
}

TEST_CASE("no value can end the line or the argument that it is written into") {
  for (const char* const value :
       {"\"a b\"", "\"a\\n#SBATCH --array=1\"", "'a\"b'", "\"a#b\"", "-p", "\"a\\\\b\"", "gpü"}) {
    CHECK(
        has(error_of_job(std::string("    partition: ") + value + "\n"), "`partition` cannot be"));
    CHECK(has(error_of_job(std::string("    gres: {cuda: ") + value + "}\n"), "`gres` cannot be"));
  }
  CHECK(has(error_of_job("    options: [\"--nice --array=1\"]\n"), "cannot be an option of a job"));
}

TEST_CASE("an error of the user's file is found even if the project replaces the value") {
  const Result<ExecutorSettings> settings =
      read_settings({{"user.yaml", "executor: {slurm: {cores: x}}\n"},
                     {".pinwheel.yaml", "executor: {slurm: {cores: 2}}\n"}});
  REQUIRE(!settings);
  CHECK(has(render(settings.error()), "user.yaml:1:27"));
}

}  // namespace
}  // namespace pinwheel::slurm
