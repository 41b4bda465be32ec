#include "host/provision/env_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "env/architectures.h"
#include "env/commands.h"
#include "env/pass_list.h"
#include "host/machine/machine_name.h"

namespace pinwheel::host {
namespace {

using Variables = std::map<std::string, std::string>;

Result<ports::Captured> run(const EnvMachine& machine, std::vector<std::string> argv,
                            const Variables& variables) {
  ports::Command command;
  command.argv = std::move(argv);
  command.environment = variables;
  command.timeout = std::chrono::minutes(2);
  return machine.process.capture(command);
}

/// The compiler whose version matters to the toolkit: CUDAHOSTCXX for CUDA, else CXX, else c++.
std::string compiler_name(const CheckPlace& place) {
  std::string cuda = value_at(place.variables, "CUDAHOSTCXX");
  if (place.toolkit && !cuda.empty()) return cuda;
  const std::string cxx = value_at(place.variables, "CXX");
  return cxx.empty() ? "c++" : cxx;
}

std::optional<env::HostCompiler> find_compiler(const EnvMachine& machine, const CheckPlace& place) {
  const std::string name = compiler_name(place);
  const Result<ports::Captured> ran = run(machine, {name, "--version"}, place.variables);
  if (!ran || !ran->exit.ok()) return std::nullopt;
  return env::parse_host_compiler(name, ran->out);
}

/// "aarch64" for "aarch64-linux-gnu"; `CXX` may be a cross compiler.
std::string arch_of_code(const EnvMachine& machine, const CheckPlace& place) {
  const Result<ports::Captured> target =
      run(machine, {compiler_name(place), "-dumpmachine"}, place.variables);
  if (target && target->exit.ok()) return split(trim(target->out), '-')[0];
  return running_arch(machine);
}

/// Empty if the command succeeds, else its error message.
std::string complaint(const EnvMachine& machine, const std::vector<std::string>& argv,
                      const Variables& variables) {
  const Result<ports::Captured> ran = run(machine, argv, variables);
  if (!ran) return ran.error().message;
  if (ran->exit.ok()) return {};
  const std::vector<std::string> lines = split(trim(ran->err), '\n');
  // Compilers print the error first, after the include chain; Python prints it last.
  const auto error = std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find("error:") != std::string::npos;
  });
  const std::string& line = argv.at(1) == "-c"     ? lines.back()
                            : error == lines.end() ? lines.front()
                                                   : *error;
  return line.empty() ? fmt::format("exit code {}", ran->exit.code) : line;
}

std::vector<std::string> preprocess(const CheckPlace& place, const std::string& header) {
  std::vector<std::string> argv = {compiler_name(place), "-E", "-x", "c++"};
  if (place.toolkit) {
    for (const std::string& directory : env::include_directories(*place.toolkit, machine_name())) {
      argv.push_back("-I" + directory);
    }
  }
  // hipcc requires its caller to select the HIP platform.
  if (place.toolkit && place.toolkit->name.starts_with("rocm/")) {
    argv.emplace_back("-D__HIP_PLATFORM_AMD__=1");
  }
  argv.insert(argv.end(), {"-include", header, "/dev/null"});
  return argv;
}

/// "-c" with the name as an argument: no text of the matrix becomes Python source.
std::vector<std::string> import_of(const CheckPlace& place, const std::string& name) {
  return {place.python, "-c", "import importlib, sys; importlib.import_module(sys.argv[1])", name};
}

/// Checks that the toolkit compiles for every entry of the arch list; its own list is queried only
/// if one is missing.
void ask_architectures(const EnvMachine& machine, const CheckPlace& place, env::CheckFacts& facts) {
  if (!place.toolkit) return;
  Variables variables = place.variables;
  for (const auto& [name, value] : place.toolkit->variables) {
    if (name != "PATH") variables[name] = value;
  }
  bool lacking = false;
  for (const std::string& entry : place.arch_list) {
    std::string& output = facts.architectures[entry];
    output = complaint(machine, env::probe_architecture(*place.toolkit, entry), variables);
    lacking = lacking || !output.empty();
  }
  if (!lacking) return;
  const Result<ports::Captured> ran =
      run(machine, env::list_architectures(*place.toolkit), variables);
  if (ran) facts.known_architectures = env::parse_architectures(ran->out + "\n" + ran->err);
}

/// A check whose fact must be gathered, and the place to gather it.
struct Asked {
  const EnvMachine& machine;
  const CheckPlace& place;
  const matrix::Check& check;
};

env::CheckFacts with_fact(env::CheckFacts facts, env::BeforeFact fact, const Asked& asked) {
  const auto& [machine, place, check] = asked;
  switch (fact) {
    case env::BeforeFact::arch:
      facts.arch = arch_of_code(machine, place);
      break;
    case env::BeforeFact::compiler:
      facts.compiler = find_compiler(machine, place);
      break;
    case env::BeforeFact::toolkit:
      ask_architectures(machine, place, facts);
      break;
    case env::BeforeFact::torch:
      facts.torch = torch_of(machine, place.python);
      break;
    case env::BeforeFact::headers:
      for (const std::string& name : check.arguments) {
        facts.headers[name] = complaint(machine, preprocess(place, name), place.variables);
      }
      break;
    case env::BeforeFact::imports:
      for (const std::string& name : check.arguments) {
        facts.imports[name] = complaint(machine, import_of(place, name), place.variables);
      }
      break;
  }
  return facts;
}

env::CompilerRange supported(const EnvMachine& machine, const env::Toolkit& toolkit) {
  if (!toolkit.name.starts_with("cuda/")) return {};
  for (const std::string& directory : env::include_directories(toolkit, machine_name())) {
    // A container's files are not the host's: they are read where the compiler runs.
    const Result<ports::Captured> read =
        run(machine, {"cat", directory + "/crt/host_config.h"},
            env::variables_for(env::Helper::system, machine.variables));
    if (read && read->exit.ok()) return env::supported_compilers(toolkit.release, read->out);
  }
  return env::supported_compilers(toolkit.release, "");
}

}  // namespace

std::optional<env::TorchBuild> torch_of(const EnvMachine& machine, const std::string& python) {
  const Result<ports::Captured> ran =
      run(machine, env::torch_probe(python), env::pip_variables(machine.variables));
  if (!ran || !ran->exit.ok()) return std::nullopt;
  return env::parse_torch_build(ran->out);
}

env::CheckFacts gather_check_facts(const EnvMachine& machine, const CheckPlace& place,
                                   const std::vector<matrix::Check>& checks) {
  env::CheckFacts facts;
  facts.wanted_toolkit = place.wanted_toolkit;
  facts.wanted_arch = place.wanted_arch;
  facts.toolkit = place.toolkit;
  facts.torch_need = place.torch_need;
  if (place.toolkit) facts.supported = supported(machine, *place.toolkit);
  for (const matrix::Check& check : checks) {
    const std::optional<env::BeforeFact> fact = env::fact_for(check.rule);
    if (fact) facts = with_fact(std::move(facts), *fact, {machine, place, check});
  }
  return facts;
}

}  // namespace pinwheel::host
