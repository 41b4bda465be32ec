#include "env/checks_before.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "pep/version.h"

namespace pinwheel::env {
namespace {

using Findings = std::vector<Error>;

void compiler(const CheckFacts& facts, Findings& findings) {
  if (!facts.compiler) {
    findings.push_back({.kind = ErrorKind::environment,
                        .message = "no C++ compiler was found",
                        .hint = "run `apt-get install g++`, or name one with `CXX`"});
    return;
  }
  if (!facts.toolkit) return;
  if (auto fits = check_compiler(*facts.compiler, facts.supported, facts.toolkit->name); !fits) {
    findings.push_back(fits.error());
  }
}

void toolkit(const CheckFacts& facts, Findings& findings) {
  if (facts.wanted_toolkit.empty()) return;
  const std::string kind = facts.wanted_toolkit.substr(0, facts.wanted_toolkit.find('/') + 1);
  const std::string wanted = kind + major_minor(facts.wanted_toolkit.substr(kind.size()));
  if (!facts.toolkit) {
    findings.push_back(
        {.kind = ErrorKind::environment,
         .message = fmt::format("the toolkit {} is not here", pinwheel::quoted(wanted)),
         .hint = "put it on PATH, or set `toolkit: pypi` in the matrix"});
  } else if (facts.toolkit->name != wanted) {
    findings.push_back(
        {.kind = ErrorKind::check,
         .message = fmt::format("the class is built for `{}`, the toolkit in `{}` is `{}`", wanted,
                                facts.toolkit->prefix, facts.toolkit->name),
         .hint = "set CUDA_HOME or ROCM_PATH to the version of the class"});
  }
}

/// Whether 2.13.1+cu130 is a 2.13: by component, so that 2.1 does not take 2.13.
bool is_minor(const pep::Version& have, const std::string& minor) {
  const auto want = pep::parse_version(minor);
  if (!want || want->release.size() > have.release.size()) return false;
  return std::equal(want->release.begin(), want->release.end(), have.release.begin());
}

void torch_variant(const CheckFacts& facts, Findings& findings) {
  const TorchNeed& need = facts.torch_need;
  if (need.abi == matrix::TorchAbi::none) return;
  if (!facts.torch) {
    findings.push_back({.kind = ErrorKind::environment,
                        .message = "the build environment has no torch",
                        .hint = "name it in `environment: {torch: ...}`"});
    return;
  }
  const auto have = pep::parse_version(facts.torch->version);
  const std::string hint = "check the `torch` and its `index` in `environment` of the matrix";
  if (!have) {
    findings.push_back({.kind = ErrorKind::check,
                        .message = fmt::format("torch calls itself {}, which is no version",
                                               pinwheel::quoted(facts.torch->version)),
                        .hint = hint});
  } else if (need.abi == matrix::TorchAbi::stable) {
    const auto target = pep::parse_version(need.version);
    if (target && pep::base_part(*have) >= pep::base_part(*target)) return;
    findings.push_back({.kind = ErrorKind::check,
                        .message = fmt::format("the Stable ABI target is torch {}, here is {}",
                                               need.version, facts.torch->version),
                        .hint = hint});
  } else if (!is_minor(*have, need.version) || facts.torch->compute != need.compute) {
    findings.push_back({.kind = ErrorKind::check,
                        .message = fmt::format(
                            "the class needs torch {} for `{}`, here is {} for `{}`", need.version,
                            need.compute, facts.torch->version, facts.torch->compute),
                        .hint = hint});
  }
}

void present(const matrix::Check& check, const std::map<std::string, std::string>& facts,
             const std::string& hint, Findings& findings) {
  if (check.arguments.empty()) {
    findings.push_back({.kind = ErrorKind::config,
                        .message = fmt::format("the check `{}` names nothing", check.rule),
                        .hint = fmt::format("write `{}: NAME`", check.rule)});
  }
  for (const std::string& name : check.arguments) {
    const auto fact = facts.find(name);
    if (fact != facts.end() && fact->second.empty()) continue;
    const std::string why = fact == facts.end() ? "it was not looked for" : fact->second;
    findings.push_back(
        {.kind = ErrorKind::environment,
         .message = fmt::format("the {} `{}` is not usable: {}",
                                check.rule == "import" ? "module" : "header", name, why),
         .hint = hint});
  }
}

}  // namespace

const std::vector<std::string>& before_rules() {
  static const std::vector<std::string> kRules = {"compiler", "toolkit", "torch-variant", "header",
                                                  "import"};
  return kRules;
}

std::vector<Error> check_before(const std::vector<matrix::Check>& checks, const CheckFacts& facts) {
  Findings findings;
  for (const matrix::Check& check : checks) {
    if (check.rule == "compiler") {
      compiler(facts, findings);
    } else if (check.rule == "toolkit") {
      toolkit(facts, findings);
    } else if (check.rule == "torch-variant") {
      torch_variant(facts, findings);
    } else if (check.rule == "header") {
      present(check, facts.headers, "install the package that holds it", findings);
    } else if (check.rule == "import") {
      present(check, facts.imports, "name its package in `environment: {pip: [...]}`", findings);
    } else {
      findings.push_back({.kind = ErrorKind::config,
                          .message = fmt::format("no check before a build is called {}",
                                                 pinwheel::quoted(check.rule)),
                          .hint = suggest(check.rule, before_rules())});
    }
  }
  return findings;
}

std::string compute_label(const std::string& compute) {
  if (compute.starts_with("cuda/")) {
    return "cu" + replace_all(major_minor(std::string_view(compute).substr(5)), ".", "");
  }
  if (compute.starts_with("rocm/")) return "rocm" + compute.substr(5);
  return compute;
}

std::optional<std::string> skip_reason(const std::optional<TorchBuild>& torch,
                                       const std::string& compute) {
  if (torch && compute_label(torch->compute) == compute_label(compute)) return std::nullopt;
  return fmt::format("no {} torch here", compute_label(compute));
}

std::vector<std::string> torch_probe(const std::string& python) {
  constexpr std::string_view kProbe = R"(import importlib.util, json, os, runpy
spec = importlib.util.find_spec("torch")
names = runpy.run_path(os.path.join(os.path.dirname(spec.origin), "version.py"))
print(json.dumps({k: names.get(k) or "" for k in ("__version__", "cuda", "hip")})))";
  return {python, "-I", "-c", std::string(kProbe)};
}

std::optional<TorchBuild> parse_torch_build(std::string_view output) {
  try {
    const nlohmann::json json = nlohmann::json::parse(output);
    TorchBuild torch{std::string(json.at("__version__")), "cpu"};
    const std::string cuda = json.at("cuda");
    const std::string hip = json.at("hip");
    if (!cuda.empty()) torch.compute = "cuda/" + major_minor(cuda);
    if (!hip.empty()) torch.compute = "rocm/" + major_minor(hip);
    return torch;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace pinwheel::env
