#include "host/provision/machine_interpreter.h"

#include <fmt/format.h>

#include <vector>

#include "env/commands.h"
#include "host/provision/interpreters.h"

namespace pinwheel::host {
namespace {

/// An image does not change, so the result can be cached; `machine.cache` belongs to the image.
Result<env::Interpreter> contained_interpreter(const EnvMachine& machine,
                                               const std::string& wanted) {
  const std::filesystem::path record = machine.cache / "interpreters" / (wanted + ".json");
  if (const Result<std::string> text = machine.files.read(record)) {
    Result<env::Interpreter> known = env::parse_interpreter(*text);
    if (known && env::fits(*known, wanted)) return known;
  }
  const env::Variables variables = env::pip_variables(machine.variables);
  std::vector<env::Interpreter> found;
  for (const std::string& name : env::program_names(wanted)) {
    TRY(const ports::Captured ran,
        machine.process.capture(env::probe_interpreter(name, variables)));
    if (ran.exit.canceled)
      return fail(ErrorKind::interrupted, "the search for Python was interrupted");
    Result<env::Interpreter> interpreter = env::parse_interpreter(ran.out);
    if (!ran.exit.ok() || !interpreter) continue;
    found.push_back(*interpreter);
    if (!env::fits(*interpreter, wanted) || !interpreter->makes_environments) continue;
    TRY_DONE(machine.files.make_directories(record.parent_path()));
    TRY_DONE(machine.files.write(record, ran.out));
    return interpreter;
  }
  Error error = env::no_interpreter(wanted, found);
  error.hint = fmt::format(
      "install Python {} with its venv module in the image, or use `--python conda`", wanted);
  return fail(std::move(error));
}

Result<env::Interpreter> find_for(const EnvMachine& machine, const std::string& wanted) {
  if (machine.host != nullptr) return contained_interpreter(machine, wanted);
  return find_interpreter(machine.files, machine.process, machine.variables, wanted, machine.cache);
}

}  // namespace

Result<env::Interpreter> interpreter_for(const EnvMachine& machine, const std::string& wanted) {
  Result<env::Interpreter> found = find_for(machine, wanted);
  ports::LogEvent event{ports::LogLevel::info, "interpreter", {{"wanted", wanted}}};
  if (found) {
    event.fields.push_back({"path", found->path});
    event.fields.push_back({"version", env::full_version(*found)});
  } else {
    event.fields.push_back({"error", found.error().message});
  }
  machine.log->write(event);
  return found;
}

}  // namespace pinwheel::host
