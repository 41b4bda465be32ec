#include "host/machine/env_machine.h"

#include <chrono>

#include "base/text.h"
#include "env/pass_list.h"

namespace pinwheel::host {

namespace fs = std::filesystem;

bool Leases::holds(const fs::path& directory) const {
  const std::lock_guard lock(mutex_);
  return locks_.contains(directory);
}

void Leases::hold(const fs::path& directory, std::unique_ptr<ports::FileLock> held) {
  const std::lock_guard lock(mutex_);
  locks_.emplace(directory, std::move(held));
}

void Leases::drop(const fs::path& directory) {
  const std::lock_guard lock(mutex_);
  locks_.erase(directory);
}

bool Leases::is_first(const fs::path& directory, const CacheUser& user) {
  const std::lock_guard lock(mutex_);
  return uses_.emplace(directory, user).second;
}

std::optional<std::string> ask_program(const EnvMachine& machine,
                                       const std::vector<std::string>& argv,
                                       const std::map<std::string, std::string>& more) {
  ports::Command command;
  command.argv = argv;
  command.environment = env::variables_for(env::helper_of(argv.at(0)), machine.variables);
  for (const auto& [name, value] : more) command.environment[name] = value;
  command.timeout = std::chrono::seconds(30);
  const Result<ports::Captured> ran = machine.process.capture(command);
  if (!ran || !ran->exit.ok()) return std::nullopt;
  return std::string(trim(ran->out));
}

}  // namespace pinwheel::host
