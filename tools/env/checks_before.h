#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "env/toolkit.h"
#include "matrix/matrix.h"
#include "matrix/settings.h"

namespace pinwheel::env {

/// The torch of an environment, according to its version file.
struct TorchBuild {
  std::string version;  ///< "2.13.0+cpu"
  std::string compute;  ///< "cpu", "cuda/13.0", "rocm/6.4", "xpu"
};
/// The build's requirements on it.
struct TorchNeed {
  matrix::TorchAbi abi = matrix::TorchAbi::none;
  std::string version = {};  ///< abi minor: "2.13"; abi stable: the target, "2.10"
  std::string compute = {};  ///< of the class
};

/// Facts gathered before a build, for the checks below.
struct CheckFacts {
  std::string wanted_arch = {};  ///< of the class, "aarch64"; empty: the matrix has no such axis
  /// The architecture that the build's compiler targets, "x86_64"; the machine's own without a
  /// compiler.
  std::string arch = {};
  std::optional<HostCompiler> compiler = std::nullopt;
  std::string wanted_toolkit = {};  ///< "cuda/13.0"; empty: none is needed
  std::optional<Toolkit> toolkit = std::nullopt;
  CompilerRange supported = {};
  /// By entry of the arch list: empty if the toolkit can compile for it, else the toolkit's output.
  std::map<std::string, std::string> architectures = {};
  std::vector<std::string> known_architectures = {};  ///< all that the toolkit supports
  std::optional<TorchBuild> torch = std::nullopt;
  TorchNeed torch_need = {};
  /// By header or module name: empty if it was found, else the output of the compiler or Python.
  std::map<std::string, std::string> headers = {};
  std::map<std::string, std::string> imports = {};
};

/// The facts that checks need, which must be gathered first.
enum class BeforeFact { arch, compiler, toolkit, torch, headers, imports };

/// The rule ids of `checks.before`: arch, compiler, toolkit, torch-variant, header, import.
std::vector<std::string> before_rules();
/// The fact that a rule needs; nullopt for an unknown rule.
std::optional<BeforeFact> fact_for(std::string_view rule);

/// A check that failed.
struct BeforeFinding {
  std::string rule;
  Error error;
};

/// The checks that fail, in order: `environment` if something is missing on the machine, `check` if
/// it contradicts the class, `config` for an unknown rule. A fact that was not gathered fails its
/// check.
std::vector<BeforeFinding> check_before(const std::vector<matrix::Check>& checks,
                                        const CheckFacts& facts);

/// Combines the findings into one error that names every failed check, with each finding as a
/// cause; a single finding is returned as is. `findings` must not be empty.
Error to_error(std::vector<BeforeFinding> findings, const std::string& class_id);

/// Why a test cannot run in an environment: "no cu130 torch here"; nullopt if it can. A test whose
/// variant has compute "cpu" or another label needs a torch of exactly that compute.
std::optional<std::string> skip_reason(const std::optional<TorchBuild>& torch,
                                       const std::string& compute);

/// Prints version and compute of the installed torch as JSON, without importing it: 20 ms instead
/// of 2 s, and no GPU library is loaded. For `parse_torch_build`.
std::vector<std::string> torch_probe(const std::string& python);
/// nullopt for any other output: there is no torch.
std::optional<TorchBuild> parse_torch_build(std::string_view output);

}  // namespace pinwheel::env
