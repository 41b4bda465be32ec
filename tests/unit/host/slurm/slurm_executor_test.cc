#include "host/slurm/slurm_executor.h"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "fakes/fake_clock.h"
#include "fakes/fake_runner.h"
#include "host/system/files.h"
#include "plan/outcome.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"
#include "unit/run/executor_contract.h"

using namespace pinwheel;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_result(const fs::path& run, const std::string& token, int code,
                  const plan::StepOutcome& outcome) {
  std::ofstream(run / "results" / (token + ".json")) << fmt::format(
      R"({{"schema":"pinwheel-job/1","token":"{}","exit_code":{},"report":{{"outcomes":[{}]}}}})",
      token, code, plan::outcome_json(outcome));
}

/// An element that the cluster knows.
struct FakeElement {
  std::string token;
  std::string step;
  std::string state = "RUNNING";
  std::string reason = "None";
};

/// A cluster in memory that answers sbatch, squeue, scancel and scontrol. The jobs of the contract
/// end when they start, with a result; others do not end.
class FakeCluster final : public ports::Process {
 public:
  explicit FakeCluster(fs::path run) : run_(std::move(run)) {}

  std::map<std::pair<std::string, int>, FakeElement> elements = {};  ///< by array id and index
  std::map<std::string, std::string> comments = {};                  ///< by array id
  std::vector<std::string> dependencies = {};
  int submissions = 0;
  int next_id = 100;
  bool answers = true;
  std::string refusal = {};
  bool forgets = false;  ///< accepts a job, and does not know it any more

  Result<ports::Captured> capture(const ports::Command& command) override {
    const std::string& program = command.argv[0];
    if (program == "scontrol" && command.argv.at(2) == "config") {
      return reply("MaxArraySize            = 1001\n");
    }
    if (program == "scontrol") return error("Invalid job id specified");
    if (!answers) return error("Unable to contact slurm controller (connect failure)");
    if (program == "sbatch") return submit(command.argv);
    if (program == "squeue") return reply(listing());
    for (size_t i = 1; i < command.argv.size(); ++i) cancel(command.argv[i]);
    return reply("");
  }
  Result<ports::Exit> log(const ports::Command& /*command*/, const fs::path& /*log*/) override {
    return ports::Exit{};
  }

  void set_all(const std::string& state, const std::string& reason = "None") {
    for (auto& [key, element] : elements) {
      element.state = state;
      element.reason = reason;
    }
  }

 private:
  static ports::Captured reply(std::string out) { return {{}, std::move(out), {}}; }
  static ports::Captured error(const std::string& text) {
    ports::Captured ran;
    ran.exit.code = 1;
    ran.err = "sbatch: error: " + text + "\n";
    return ran;
  }

  ports::Captured submit(const std::vector<std::string>& argv) {
    if (!refusal.empty()) return error(refusal);
    ++submissions;
    for (const std::string& each : argv) {
      if (each.starts_with("--dependency=")) dependencies.push_back(each.substr(13));
    }
    const std::string script = text_of(argv.back());
    const std::string id = std::to_string(next_id++);
    std::smatch found;
    REQUIRE(std::regex_search(script, found, std::regex("--comment=\"([^\"]*)\"")));
    comments[id] = found[1];
    const std::regex line("\n  ([0-9]+)\\) token=([0-9a-f]+) step=(\\S+) ;;");
    for (std::sregex_iterator each(script.begin(), script.end(), line), end; each != end; ++each) {
      if (forgets) continue;
      FakeElement element{(*each)[2], (*each)[3]};
      run(element);
      elements[{id, std::stoi((*each)[1])}] = element;
    }
    return reply(id + "\n");
  }

  void run(FakeElement& element) {
    const bool good = element.step == "build:good";
    if (!good && element.step != "build:bad") return;
    plan::StepOutcome outcome;
    outcome.id = element.step;
    outcome.attempts = 1;
    outcome.evidence = test::contract_success().evidence;
    outcome.warnings = test::contract_success().warnings;
    if (!good) {
      outcome.state = plan::StepState::failed;
      outcome.error = Error{ErrorKind::step, "the build failed"};
    }
    write_result(run_, element.token, good ? 0 : 1, outcome);
    element.state = good ? "COMPLETED" : "FAILED";
  }

  std::string listing() const {
    std::string text;
    for (const auto& [key, element] : elements) {
      text += fmt::format(
          "\036{0}_{1}\037{0}\037{2}\037{3}\037n1\0371800000000\0371800000000\0371800000000\037"
          "10:00\037{4}\037\n",
          key.first, key.second, element.state, element.reason, comments.at(key.first));
    }
    return text;
  }

  void cancel(const std::string& name) {
    for (auto& [key, element] : elements) {
      if (fmt::format("{}_{}", key.first, key.second) == name) element.state = "CANCELLED";
    }
  }

  fs::path run_;
};

/// Everything around an executor; a second executor is another caller of the same plan.
struct SlurmWorld {
  Scratch scratch;
  host::LocalFiles files;
  host::SlurmRunDirectory directory{files, scratch.path() / "run"};
  FakeCluster cluster{scratch.path() / "run"};
  host::SlurmCommands commands{cluster, {}};
  host::Store store{{}, {}};
  fakes::FakeClock clock;
  fakes::FakeRunner local{clock};
  std::vector<plan::Step> steps = {};
  std::vector<Error> warnings = {};

  SlurmWorld() {
    REQUIRE(directory.prepare("{}"));
    steps.resize(2);
    steps[0].id = "build:a";
    steps[0].action = plan::BuildWheel{};
    steps[1].id = "test:a";
    steps[1].action = plan::TestWheel{};
  }

  std::unique_ptr<host::SlurmExecutor> executor() {
    host::SlurmSetup setup;
    setup.site = {directory.path().string(), "/opt/pinwheel", "/checkout", {}, {"PATH"}};
    setup.output = scratch.path() / "out";
    setup.grace = 10s;
    setup.poll_every = 1s;
    setup.warn = [this](const Error& error) { warnings.push_back(error); };
    return std::make_unique<host::SlurmExecutor>(
        std::move(setup), host::SlurmPorts{directory, commands, store, clock, local});
  }

  run::StepJob job(size_t i, int number = 1) {
    run::StepJob made = test::contract_job(steps.at(i), number);
    made.attempt.log = "build-a.1.log";
    return made;
  }

  /// The next end of a job, within this time.
  std::optional<run::Completed> next_end(run::Executor& executor,
                                         std::chrono::seconds within = 30s) {
    const auto limit = clock.steady() + within;
    while (clock.steady() < limit) {
      const run::Event event = executor.poll(limit);
      if (const auto* const ended = std::get_if<run::Completed>(&event)) return *ended;
    }
    return std::nullopt;
  }

  void finish(const std::string& token, const std::string& step) {
    plan::StepOutcome outcome;
    outcome.id = step;
    write_result(directory.path(), token, 0, outcome);
  }
};

}  // namespace

TEST_CASE("jobs are arrays whose dependencies are those of their steps") {
  SlurmWorld world;
  const auto executor = world.executor();
  run::StepJob test = world.job(1);
  test.after = {world.job(0).token};
  executor->submit({world.job(0), test});
  CHECK(world.cluster.submissions == 2);
  CHECK(world.cluster.dependencies == std::vector<std::string>{"afterok:100_0"});
  world.finish(world.job(0).token, "build:a");
  world.finish(test.token, "test:a");
  CHECK(world.next_end(*executor)->step == "build:a");
  CHECK(world.next_end(*executor)->step == "test:a");
}

TEST_CASE("another caller of a plan, or a later one, finds the jobs and submits none") {
  SlurmWorld world;
  {
    const auto killed = world.executor();
    killed->submit({world.job(0)});
  }
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  CHECK(world.cluster.submissions == 1);
  const auto other = world.executor();
  other->submit({world.job(0)});
  CHECK(world.cluster.submissions == 1);
  world.finish(world.job(0).token, "build:a");
  CHECK(world.next_end(*executor)->state == run::StepJobState::succeeded);
  CHECK(world.next_end(*other)->state == run::StepJobState::succeeded);
}

TEST_CASE("a job that Slurm does not know is lost after the time of grace, without a result") {
  SlurmWorld world;
  world.cluster.forgets = true;
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  CHECK_FALSE(world.next_end(*executor, 8s));
  SECTION("it has none") {
    const auto end = world.next_end(*executor);
    REQUIRE(end);
    CHECK(end->state == run::StepJobState::lost);
    CHECK(end->result.error().kind == ErrorKind::transient);
    CHECK(world.executor()->token_of("contract", "build:a", 1) == world.job(0, 2).token);
  }
  SECTION("it ran after all") {
    world.finish(world.job(0).token, "build:a");
    CHECK(world.next_end(*executor)->state == run::StepJobState::succeeded);
    CHECK(world.executor()->token_of("contract", "build:a", 1) == world.job(0, 1).token);
  }
  SECTION("nothing is lost while the controller does not answer") {
    world.cluster.answers = false;
    CHECK_FALSE(world.next_end(*executor, 100s));
  }
}

TEST_CASE("a rerun long after a lost submission does not wait for it again") {
  SlurmWorld world;
  world.cluster.forgets = true;
  world.executor()->submit({world.job(0)});
  world.clock.move_to(world.clock.steady() + 60s);
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  const auto end = world.next_end(*executor, 2s);
  REQUIRE(end);
  CHECK(end->state == run::StepJobState::lost);
}

TEST_CASE("a result that cannot be read, or whose files no store has, is lost") {
  SlurmWorld world;
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  SECTION("text of somebody else") {
    std::ofstream(world.directory.path() / "results" / (world.job(0).token + ".json")) << "{}";
  }
  SECTION("no files") {
    plan::StepOutcome outcome;
    outcome.id = "build:a";
    outcome.outputs = {{"/node/out/a.whl", std::string(64, 'a'), 2}};
    write_result(world.directory.path(), world.job(0).token, 0, outcome);
  }
  const auto end = world.next_end(*executor);
  REQUIRE(end);
  CHECK(end->state == run::StepJobState::lost);
  CHECK_FALSE(end->result);
}

TEST_CASE("a job whose pinwheel ran nothing says where its words are") {
  SlurmWorld world;
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  const auto ended_with = [&](int code) {
    std::ofstream(world.directory.path() / "results" / (world.job(0).token + ".json"))
        << fmt::format(R"({{"schema":"pinwheel-job/1","token":"{}","exit_code":{},"report":null}})",
                       world.job(0).token, code);
    return world.next_end(*executor);
  };
  SECTION("the checkout differs") {
    const auto end = ended_with(7);
    REQUIRE(end);
    CHECK(end->state == run::StepJobState::failed);
    CHECK(end->result.error().hint.find("/logs/") != std::string::npos);
  }
  SECTION("the result of a need is missing: it started too early") {
    CHECK(ended_with(exit_code(ErrorKind::check))->state == run::StepJobState::dependency_failed);
  }
}

TEST_CASE("what Slurm says about a job without a result is not a failure of its step") {
  struct Case {
    const char* state;
    const char* reason;
    run::StepJobState expected;
    ErrorKind kind;
  };
  const Case one = GENERATE(
      Case{"TIMEOUT", "TimeLimit", run::StepJobState::time_limit, ErrorKind::timeout},
      Case{"NODE_FAIL", "None", run::StepJobState::node_failure, ErrorKind::transient},
      Case{"PREEMPTED", "None", run::StepJobState::preempted, ErrorKind::transient},
      Case{"OUT_OF_MEMORY", "None", run::StepJobState::out_of_memory, ErrorKind::out_of_memory},
      Case{"CANCELLED", "None", run::StepJobState::canceled, ErrorKind::transient},
      Case{"FAILED", "NonZeroExitCode", run::StepJobState::lost, ErrorKind::transient},
      Case{"CANCELLED", "DependencyNeverSatisfied", run::StepJobState::dependency_failed,
           ErrorKind::transient});
  SlurmWorld world;
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  world.cluster.set_all(one.state, one.reason);
  const auto end = world.next_end(*executor);
  REQUIRE(end);
  CHECK(end->state == one.expected);
  REQUIRE_FALSE(end->result);
  CHECK(end->result.error().kind == one.kind);
}

TEST_CASE("a job that can never start is canceled, and says why") {
  SlurmWorld world;
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  world.cluster.set_all("PENDING", "PartitionTimeLimit");
  const auto end = world.next_end(*executor);
  REQUIRE(end);
  CHECK(end->state == run::StepJobState::failed);
  CHECK(end->result.error().kind == ErrorKind::environment);
  CHECK(end->result.error().message.find("PartitionTimeLimit") != std::string::npos);
  CHECK(world.cluster.elements.at({"100", 0}).state == "CANCELLED");
}

TEST_CASE("a held job waits, and one warning says so") {
  SlurmWorld world;
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  world.cluster.set_all("PENDING", "JobHeldUser");
  CHECK_FALSE(world.next_end(*executor, 20s));
  REQUIRE(world.warnings.size() == 1);
  CHECK(world.warnings[0].hint.find("scontrol release 100_0") != std::string::npos);
  world.finish(world.job(0).token, "build:a");
  CHECK(world.next_end(*executor)->state == run::StepJobState::succeeded);
}

TEST_CASE("a refused submission fails with the words of sbatch, and can be repeated") {
  SlurmWorld world;
  world.cluster.refusal = "invalid partition specified: nope\x1b[31m";
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  const auto end = world.next_end(*executor);
  REQUIRE(end);
  CHECK(end->state == run::StepJobState::failed);
  const Error& error = end->result.error();
  CHECK(error.kind == ErrorKind::environment);
  CHECK(error.message.find("invalid partition specified: nope") != std::string::npos);
  CHECK(error.message.find('\x1b') == std::string::npos);
  CHECK(error.hint.find("sinfo") != std::string::npos);
  world.cluster.refusal.clear();
  const auto again = world.executor();
  again->submit({world.job(0)});
  CHECK(world.cluster.submissions == 1);
}

TEST_CASE("a submission without an answer is neither repeated nor given up at once") {
  SlurmWorld world;
  world.cluster.answers = false;
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  world.cluster.answers = true;
  CHECK_FALSE(world.next_end(*executor, 8s));
  CHECK(world.next_end(*executor)->state == run::StepJobState::lost);
  CHECK(world.cluster.submissions == 0);
}

TEST_CASE("jobs are canceled by the ids that the controller knows now") {
  SlurmWorld world;
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  executor->cancel({world.job(0).token});
  CHECK(world.cluster.elements.at({"100", 0}).state == "CANCELLED");
  CHECK(world.warnings.empty());
  CHECK(world.next_end(*executor)->state == run::StepJobState::canceled);
}

TEST_CASE("the executor of Slurm satisfies the contract of executors") {
  SlurmWorld world;
  test::check_contract([&]() -> std::unique_ptr<run::Executor> { return world.executor(); });
}
