#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "fakes/fake_clock.h"
#include "fakes/fake_runner.h"
#include "host/slurm/slurm_executor.h"
#include "host/system/files.h"
#include "plan/outcome.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"
#include "unit/run/executor_contract.h"

namespace pinwheel::test {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

inline std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline void write_result(const fs::path& run, const std::string& token, int code,
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
  size_t room = 1000;          ///< for elements that have not ended; more are refused for now
  std::string described = {};  ///< the answer of `scontrol show job`; empty: unknown job
  std::set<std::string> other_jobs = {};   ///< ids of running jobs that are no arrays
  std::vector<std::string> commands = {};  ///< with their arguments
  std::vector<std::string> scripts = {};
  std::function<void(const std::string& program)> on_command = [](const std::string&) {};
  bool forgets = false;  ///< accepts a job, and does not know it any more

  Result<ports::Captured> capture(const ports::Command& command) override {
    const std::string& program = command.argv[0];
    commands.push_back(join(command.argv, " "));
    on_command(program);
    if (program == "scontrol" && command.argv.at(2) == "config") {
      return reply("MaxArraySize            = 1001\n");
    }
    if (program == "scontrol") {
      return described.empty() ? error("Invalid job id specified") : reply(described);
    }
    if (!answers) return error("Unable to contact slurm controller (connect failure)");
    if (program == "sbatch") return submit(command.argv);
    if (program == "squeue") return reply(listing());
    for (size_t i = 2; i < command.argv.size(); ++i) cancel(command.argv[i]);
    return reply("");
  }
  Result<ports::Exit> log(const ports::Command& /*command*/, const fs::path& /*log*/) override {
    return ports::Exit{};
  }

  /// How many commands begin with this text.
  size_t count(const std::string& start) const {
    return static_cast<size_t>(std::ranges::count_if(
        commands, [&](const std::string& each) { return each.starts_with(start); }));
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
    const std::string script = text_of(argv.back());
    const std::regex line("\n  ([0-9]+)\\) token=([0-9a-f]+) step=(\\S+) ;;");
    const std::sregex_iterator first(script.begin(), script.end(), line);
    if (open() + static_cast<size_t>(std::distance(first, {})) > room) {
      return error(
          "QOSMaxSubmitJobPerUserLimit\nsbatch: error: Batch job submission failed: Job "
          "violates accounting/QOS policy (job submit limit, user's size and/or time "
          "limits)");
    }
    ++submissions;
    scripts.push_back(script);
    for (const std::string& each : argv) {
      if (each.starts_with("--dependency=")) dependencies.push_back(each.substr(13));
    }
    const std::string id = std::to_string(next_id++);
    std::smatch found;
    REQUIRE(std::regex_search(script, found, std::regex("--comment=\"([^\"]*)\"")));
    comments[id] = found[1];
    for (std::sregex_iterator each = first, end; each != end; ++each) {
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
    outcome.evidence = contract_success().evidence;
    outcome.warnings = contract_success().warnings;
    if (!good) {
      outcome.state = plan::StepState::failed;
      outcome.error = Error{ErrorKind::step, "the build failed"};
    }
    write_result(run_, element.token, good ? 0 : 1, outcome);
    element.state = good ? "COMPLETED" : "FAILED";
  }

  size_t open() const {
    return static_cast<size_t>(std::ranges::count_if(elements, [](const auto& each) {
      return each.second.state == "RUNNING" || each.second.state == "PENDING";
    }));
  }

  std::string listing() const {
    std::string text;
    for (const std::string& id : other_jobs) {
      text += fmt::format(
          "\036{0}\037{0}\037RUNNING\037None\037n1\0371800000000\0371800000000\0371800000000\037"
          "10:00\037\037\n",
          id);
    }
    for (const auto& [key, element] : elements) {
      text += fmt::format(
          "\036{0}_{1}\037{0}\037{2}\037{3}\037n1\0371800000000\0371800000000\0371800000000\037"
          "10:00\037{4}\037\n",
          key.first, key.second, element.state, element.reason, comments.at(key.first));
    }
    return text;
  }

  void cancel(const std::string& name) {
    std::smatch found;
    REQUIRE(std::regex_match(name, found, std::regex("([0-9]+)_\\[(.*)\\]")));
    std::set<int> indexes;
    for (const std::string& range : split(found[2].str(), ',')) {
      const size_t dash = range.find('-');
      const int last = std::stoi(dash == std::string::npos ? range : range.substr(dash + 1));
      for (int i = std::stoi(range); i <= last; ++i) indexes.insert(i);
    }
    for (auto& [key, element] : elements) {
      if (key.first == found[1] && indexes.contains(key.second)) element.state = "CANCELLED";
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

  host::SlurmSetup setup() {
    host::SlurmSetup setup;
    setup.site = {directory.path().string(), "/opt/pinwheel", "/checkout", {}, {"PATH"}};
    setup.output = scratch.path() / "out";
    setup.grace = 10s;
    setup.poll_every = 1s;
    setup.warn = [this](const Error& error) { warnings.push_back(error); };
    return setup;
  }

  std::unique_ptr<host::SlurmExecutor> executor() { return executor(setup()); }
  std::unique_ptr<host::SlurmExecutor> executor(host::SlurmSetup setup) {
    return std::make_unique<host::SlurmExecutor>(
        std::move(setup), host::SlurmPorts{directory, commands, store, clock, local});
  }

  run::StepJob job(size_t i, int number = 1) {
    run::StepJob made = contract_job(steps.at(i), number);
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

}  // namespace pinwheel::test
