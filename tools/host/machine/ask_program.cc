#include "host/machine/ask_program.h"

#include <chrono>

#include "base/text.h"
#include "env/pass_list.h"

namespace pinwheel::host {

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
