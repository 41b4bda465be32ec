#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fakes/fake_clock.h"
#include "fakes/memory_files.h"
#include "ports/notices.h"
#include "prepare/host.h"

namespace pinwheel::fakes {

/// A repository with these facts, or none.
class FakeGit final : public ports::Git {
 public:
  using Git::facts;
  using Git::files;
  Result<ports::GitFacts> known = fail(ErrorKind::environment, "no repository");
  ports::GitFiles tracked = {};
  Done listed = {};  ///< an error: the files cannot be listed
  Result<ports::GitChange> changed = ports::GitChange{};
  int asked = 0;          ///< how often the facts were
  int changes_asked = 0;  ///< how often the last change was

  Result<ports::GitFacts> facts(const std::filesystem::path& /*directory*/,
                                ports::WorkTree /*work_tree*/) override {
    ++asked;
    return known;
  }
  Result<ports::GitFiles> files(const std::filesystem::path& /*directory*/,
                                const std::vector<std::filesystem::path>& /*made*/) override {
    TRY_DONE(listed);
    return tracked;
  }
  Result<ports::GitChange> last_change(
      const std::filesystem::path& /*directory*/,
      const std::function<bool(std::string_view name)>& /*counts*/) override {
    ++changes_asked;
    return changed;
  }
};

/// Programs that do not exist, unless `run` says otherwise.
class FakeProcess final : public ports::Process {
 public:
  std::vector<std::string> started = {};  ///< the names of programs
  std::function<Result<ports::Captured>(const ports::Command&)> run =
      [](const ports::Command& command) -> Result<ports::Captured> {
    return fail(ErrorKind::environment, "no program " + command.argv.front());
  };

  Result<ports::Captured> capture(const ports::Command& command) override {
    started.push_back(command.argv.front());
    return run(command);
  }
  Result<ports::Exit> log(const ports::Command& command,
                          const std::filesystem::path& /*log*/) override {
    TRY(const ports::Captured ran, capture(command));
    return ran.exit;
  }
};

/// Records notices, warnings and logs.
class RecordedNotices final : public ports::Notices {
 public:
  std::vector<std::string> notes = {};
  std::vector<std::string> warnings = {};
  std::vector<std::string> logs = {};  ///< directories that `log_into` was given
  Done log_kept = {};

  void note(std::string_view text) override { notes.emplace_back(text); }
  void warn(const Error& warning) override { warnings.push_back(warning.message); }
  void mask(const Secret& /*secret*/) const override {}
  void hide(const Secret& /*secret*/) const override {}
  const ports::LogHandle& log() const override { return log_; }
  Done log_into(const std::filesystem::path& directory) override {
    logs.push_back(directory.string());
    return log_kept;
  }

 private:
  ports::LogHandle log_ = ports::no_log();
};

/// A host whose every part is a fake.
struct FakeHost {
  MemoryFiles files;
  FakeGit git = {};
  FakeClock clock = {};
  FakeProcess process = {};
  RecordedNotices notices = {};
  std::vector<std::string> acts = {};  ///< "ask build:cpu", "perform test:cpu"
  Result<std::vector<std::string>> answer = std::vector<std::string>{"numpy>=2"};
  Result<run::Success> performed = run::Success{};
  prepare::Host host{.files = files,
                     .git = git,
                     .clock = clock,
                     .variables = {{"HOME", "/home/u"}},
                     .directory = "/repo"};

  explicit FakeHost(const std::filesystem::path& directory = "/repo") : files(directory) {
    host.directory = directory;
    host.machine = [this](const host::Workplace& workplace) {
      return std::make_shared<const host::EnvMachine>(
          host::EnvMachine{.files = files,
                           .process = process,
                           .clock = clock,
                           .variables = workplace.variables,
                           .cache = workplace.cache,
                           .state = workplace.state,
                           .log = workplace.log,
                           .given = workplace.given});
    };
    host.http = [](host::HttpOptions, ports::LogHandle, std::stop_token) {
      return std::shared_ptr<ports::Http>();
    };
    host.ask_backend = [this](const host::Workplace&, const run::Attempt& attempt,
                              const project::BuildSystem&, const std::stop_token&) {
      acts.push_back("ask " + attempt.step->id);
      return answer;
    };
    host.perform = [this](const host::Workplace&, const run::Attempt& attempt, std::stop_token) {
      acts.push_back("perform " + attempt.step->id);
      return performed;
    };
  }
  FakeHost(const FakeHost&) = delete;
  FakeHost& operator=(const FakeHost&) = delete;
};

}  // namespace pinwheel::fakes
