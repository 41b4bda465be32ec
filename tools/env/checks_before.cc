#include "env/checks_before.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "matrix/axis_value.h"
#include "matrix/compute_name.h"
#include "pep/version.h"

namespace pinwheel::env {
namespace {

using Findings = std::vector<Error>;

void compiler(const matrix::Check& /*check*/, const CheckFacts& facts, Findings& findings) {
  if (!facts.compiler) {
    findings.push_back({.kind = ErrorKind::environment,
                        .message = "no C++ compiler was found",
                        .hint = "run `apt-get install g++`, or set `CXX`"});
    return;
  }
  if (!facts.toolkit) return;
  if (auto fits = check_compiler(*facts.compiler, facts.supported, facts.toolkit->name); !fits) {
    findings.push_back(fits.error());
  }
}

void architectures(const CheckFacts& facts, Findings& findings) {
  std::vector<std::string> lacking;
  std::string first_output;
  for (const auto& [name, complaint] : facts.architectures) {
    if (complaint.empty()) continue;
    lacking.push_back(name);
    if (first_output.empty()) first_output = complaint;
  }
  if (lacking.empty()) return;
  const std::string has = facts.known_architectures.empty()
                              ? fmt::format("its output: {}", first_output)
                              : fmt::format("it has {}", join(facts.known_architectures, ", "));
  findings.push_back(
      {.kind = ErrorKind::environment,
       .message = fmt::format("{} {} in {} does not compile for {}; {}", facts.toolkit->name,
                              facts.toolkit->release, quoted(facts.toolkit->prefix),
                              quoted_list(lacking), has),
       .hint = "remove them from `arch-list`, or build with a toolkit that supports them"});
}

void toolkit(const matrix::Check& /*check*/, const CheckFacts& facts, Findings& findings) {
  if (facts.wanted_toolkit.empty()) return;
  const std::string wanted = toolkit_name(facts.wanted_toolkit);
  if (!facts.toolkit) {
    findings.push_back(
        {.kind = ErrorKind::environment,
         .message = fmt::format("the toolkit {} was not found", pinwheel::quoted(wanted)),
         .hint = "add it to PATH, or set `toolkit: pypi` in the matrix"});
  } else if (facts.toolkit->name != wanted) {
    findings.push_back(
        {.kind = ErrorKind::check,
         .message =
             fmt::format("the class is built for {}, but the toolkit in {} is {}", quoted(wanted),
                         quoted(facts.toolkit->prefix), quoted(facts.toolkit->name)),
         .hint = "set CUDA_HOME or ROCM_PATH to the version of the class"});
  } else {
    architectures(facts, findings);
  }
}

/// Whether a torch's own compute, which has no patch level, matches the requested one. torch
/// reports XPU without a version, and computes that the matrix declares not at all.
bool is_built_for(const std::string& torch, const std::string& compute) {
  const std::string family = matrix::split_compute(compute).family;
  if (family == "xpu") return matrix::split_compute(torch).family == family;
  if (!matrix::is_known_compute(compute)) return true;
  return matrix::compute_label(torch) == matrix::compute_label(compute);
}

/// Whether 2.13.1+cu130 belongs to 2.13: by component, so that 2.1 does not match 2.13.
bool is_minor(const pep::Version& have, const std::string& minor) {
  const auto want = pep::parse_version(minor);
  if (!want || want->release.size() > have.release.size()) return false;
  return std::equal(want->release.begin(), want->release.end(), have.release.begin());
}

void torch_variant(const matrix::Check& /*check*/, const CheckFacts& facts, Findings& findings) {
  const TorchNeed& need = facts.torch_need;
  if (need.abi == matrix::TorchAbi::none) return;
  if (!facts.torch) {
    findings.push_back({.kind = ErrorKind::environment,
                        .message = "the build environment has no torch",
                        .hint = "add it to `environment: {torch: ...}`"});
    return;
  }
  const auto have = pep::parse_version(facts.torch->version);
  const std::string hint = "check the `torch` and its `index` in `environment` of the matrix";
  if (!have) {
    findings.push_back({.kind = ErrorKind::check,
                        .message = fmt::format("torch reports the version {}, which is not valid",
                                               pinwheel::quoted(facts.torch->version)),
                        .hint = hint});
  } else if (need.abi == matrix::TorchAbi::stable) {
    const auto target = pep::parse_version(need.version);
    if (target && pep::base_part(*have) >= pep::base_part(*target)) return;
    findings.push_back(
        {.kind = ErrorKind::check,
         .message = fmt::format("the Stable ABI target is torch {}, the environment has {}",
                                need.version, facts.torch->version),
         .hint = hint});
  } else if (!is_minor(*have, need.version) || !is_built_for(facts.torch->compute, need.compute)) {
    findings.push_back(
        {.kind = ErrorKind::check,
         .message = fmt::format("the class needs torch {} for {}, the environment has {} for {}",
                                need.version, quoted(need.compute), facts.torch->version,
                                quoted(facts.torch->compute)),
         .hint = hint});
  }
}

void present(const matrix::Check& check, const std::map<std::string, std::string>& facts,
             const std::string& hint, Findings& findings) {
  if (check.arguments.empty()) {
    findings.push_back(
        {.kind = ErrorKind::config,
         .message = fmt::format("the check {} has no value", quoted(check.rule)),
         .hint = fmt::format("write {}", quoted(fmt::format("{}: NAME", check.rule)))});
  }
  for (const std::string& name : check.arguments) {
    const auto fact = facts.find(name);
    if (fact != facts.end() && fact->second.empty()) continue;
    const std::string why = fact == facts.end() ? "it was not checked" : fact->second;
    findings.push_back(
        {.kind = ErrorKind::environment,
         .message = fmt::format("the {} {} is not usable: {}",
                                check.rule == "import" ? "module" : "header", quoted(name), why),
         .hint = hint});
  }
}

void arch(const matrix::Check& /*check*/, const CheckFacts& facts, Findings& findings) {
  if (facts.wanted_arch.empty() || facts.arch == facts.wanted_arch) return;
  findings.push_back(
      {.kind = ErrorKind::environment,
       .message = fmt::format("the build is for {}, but the compiler here targets {}",
                              quoted(facts.wanted_arch),
                              quoted(facts.arch.empty() ? "nothing" : facts.arch)),
       .hint = fmt::format(
           "build on such a machine, in a container for it ({}; `pinwheel doctor` shows whether it "
           "runs here), or with a cross compiler in `CXX`",
           quoted(fmt::format("--engine docker --base-image @{}=IMAGE", facts.wanted_arch)))});
}

void headers(const matrix::Check& check, const CheckFacts& facts, Findings& findings) {
  present(check, facts.headers, "install the package that provides it", findings);
}

void imports(const matrix::Check& check, const CheckFacts& facts, Findings& findings) {
  present(check, facts.imports, "add its package to `environment: {pip: [...]}`", findings);
}

/// A rule of `checks.before`.
struct BeforeRule {
  std::string_view id;
  BeforeFact fact;
  void (*judge)(const matrix::Check&, const CheckFacts&, Findings&);
};

constexpr auto kBeforeRules = std::to_array<BeforeRule>({
    {"arch", BeforeFact::arch, arch},
    {"compiler", BeforeFact::compiler, compiler},
    {"toolkit", BeforeFact::toolkit, toolkit},
    {"torch-variant", BeforeFact::torch, torch_variant},
    {"header", BeforeFact::headers, headers},
    {"import", BeforeFact::imports, imports},
});

const BeforeRule* find_before_rule(std::string_view id) {
  const auto* const found = std::ranges::find(kBeforeRules, id, &BeforeRule::id);
  return found == kBeforeRules.end() ? nullptr : found;
}

void judge(const matrix::Check& check, const CheckFacts& facts, Findings& findings) {
  if (const BeforeRule* const rule = find_before_rule(check.rule)) {
    rule->judge(check, facts, findings);
    return;
  }
  findings.push_back(
      {.kind = ErrorKind::config,
       .message = fmt::format("unknown check {} in `checks.before`", pinwheel::quoted(check.rule)),
       .hint = suggest(check.rule, before_rules())});
}

}  // namespace

std::vector<std::string> before_rules() {
  std::vector<std::string> ids;
  ids.reserve(kBeforeRules.size());
  for (const BeforeRule& rule : kBeforeRules) ids.emplace_back(rule.id);
  return ids;
}

std::optional<BeforeFact> fact_for(std::string_view rule) {
  const BeforeRule* const found = find_before_rule(rule);
  return found == nullptr ? std::nullopt : std::optional(found->fact);
}

std::vector<BeforeFinding> check_before(const std::vector<matrix::Check>& checks,
                                        const CheckFacts& facts) {
  std::vector<BeforeFinding> all;
  for (const matrix::Check& check : checks) {
    Findings findings;
    judge(check, facts, findings);
    for (Error& error : findings) all.push_back({check.rule, std::move(error)});
  }
  return all;
}

Error to_error(std::vector<BeforeFinding> findings, const std::string& class_id) {
  if (findings.size() == 1) return std::move(findings[0].error);
  std::vector<std::string> rules;
  std::vector<Error> causes;
  for (BeforeFinding& finding : findings) {
    if (std::find(rules.begin(), rules.end(), finding.rule) == rules.end()) {
      rules.push_back(finding.rule);
    }
    finding.error.message = fmt::format("[{}] {}", finding.rule, finding.error.message);
    causes.push_back(std::move(finding.error));
  }
  Error error{causes[0].kind, fmt::format("{} before the build of {}: {}",
                                          rules.size() == 1 ? "a check failed" : "checks failed",
                                          quoted(class_id), quoted_list(rules))};
  error.causes = std::move(causes);
  return error;
}

std::optional<std::string> skip_reason(const std::optional<TorchBuild>& torch,
                                       const std::string& compute) {
  if (torch && is_built_for(torch->compute, compute)) return std::nullopt;
  const std::string label = compute.empty() ? "" : matrix::compute_label(compute) + " ";
  return fmt::format("no {}torch here", label);
}

std::vector<std::string> torch_probe(const std::string& python) {
  constexpr std::string_view kProbe = R"(import importlib.util, json, os, runpy
spec = importlib.util.find_spec("torch")
names = runpy.run_path(os.path.join(os.path.dirname(spec.origin), "version.py"))
print(json.dumps({k: names.get(k) or "" for k in ("__version__", "cuda", "hip", "xpu")})))";
  return {python, "-I", "-c", std::string(kProbe)};
}

std::optional<TorchBuild> parse_torch_build(std::string_view output) {
  try {
    const nlohmann::json json = parse_json(output);
    TorchBuild torch{std::string(json.at("__version__")), "cpu"};
    const std::string cuda = json.at("cuda");
    const std::string hip = json.at("hip");
    if (!cuda.empty()) torch.compute = "cuda/" + major_minor(cuda);
    if (!hip.empty()) torch.compute = "rocm/" + major_minor(hip);
    // Its version is that of the compiler, "20250101".
    if (!json.value("xpu", std::string()).empty()) torch.compute = "xpu";
    return torch;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace pinwheel::env
