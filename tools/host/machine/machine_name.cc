#include "host/machine/machine_name.h"

#include <sys/utsname.h>

#include "base/text.h"
#include "env/pass_list.h"

namespace pinwheel::host {

std::string running_arch(const EnvMachine& machine) {
  const Result<ports::Captured> ran = machine.process.capture(
      {{"uname", "-m"}, "/", env::variables_for(env::Helper::system, machine.variables), {}});
  return ran && ran->exit.ok() ? std::string(trim(ran->out)) : std::string();
}

std::string machine_name() {
  utsname name{};
  return ::uname(&name) == 0 ? std::string(static_cast<const char*>(name.machine)) : "x86_64";
}

std::string worker_name(const std::map<std::string, std::string>& variables) {
  std::string runner = value_at(variables, "RUNNER_NAME");
  if (!runner.empty()) return runner;
  utsname name{};
  return ::uname(&name) == 0 ? static_cast<const char*>(name.nodename) : "";
}

}  // namespace pinwheel::host
