#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "env/checks_before.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// The place where a build will run.
struct CheckPlace {
  std::string python;                            ///< of the environment
  std::map<std::string, std::string> variables;  ///< of the build: PATH, CXX, CUDAHOSTCXX
  std::string wanted_toolkit = {};               ///< "cuda/13.0"; empty: none
  std::optional<env::Toolkit> toolkit = std::nullopt;
  env::TorchNeed torch_need = {};
  std::string wanted_arch = {};             ///< "aarch64"; empty: any
  std::vector<std::string> arch_list = {};  ///< targets that the toolkit must support
};

/// Runs the compiler, Python and the preprocessor as needed by the checks, for `env::check_before`.
/// Anything that cannot be determined is a missing fact, which fails its check.
env::CheckFacts gather_check_facts(const EnvMachine& machine, const CheckPlace& place,
                                   const std::vector<matrix::Check>& checks);

/// The torch that this Python imports; nullopt if there is none.
std::optional<env::TorchBuild> torch_of(const EnvMachine& machine, const std::string& python);

}  // namespace pinwheel::host
