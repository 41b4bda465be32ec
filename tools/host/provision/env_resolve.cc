#include "host/provision/env_resolve.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <optional>

#include "base/text.h"
#include "env/classify.h"
#include "env/commands.h"
#include "env/interpreter.h"
#include "env/pip_index.h"
#include "env/public_url.h"
#include "env/torch_index.h"
#include "host/provision/conda_prefix.h"
#include "host/provision/conda_solve.h"
#include "host/provision/env_pip.h"
#include "host/provision/interpreters.h"
#include "host/system/scratch_directory.h"
#include "pep/name.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

fs::path record_of(const EnvMachine& machine, const std::string& request_digest) {
  return machine.state / "resolutions" / (request_digest + ".json");
}

/// The target of pip's resolution: an existing interpreter, or the one of conda's packages.
struct ResolutionBase {
  env::Interpreter interpreter;
  std::vector<env::CondaPackage> conda = {};
};

/// Solving creates the prefix as well: pip must resolve with its interpreter.
Result<ResolutionBase> conda_base(const EnvMachine& machine, const env::Request& request) {
  ResolutionBase base;
  TRY(base.conda, solve_conda(machine, request));
  // A toolkit has only packages.
  if (request.python.empty()) return base;
  TRY(CondaPrefix prefix, make_conda_prefix(machine, request.python, base.conda));
  base.interpreter = std::move(prefix.interpreter);
  return base;
}

struct Torch {
  env::PipPackage package;
  std::string index = {};  ///< its own index; empty: as pip is configured
  std::vector<Error> warnings = {};
};

Result<env::PipReport> report_of(const EnvMachine& machine, const ports::Command& command,
                                 const std::string& report, const std::string& what) {
  TRY_DONE(run_pip(machine, command, what));
  TRY(const std::string text, machine.files.read(report, limits::kPipReport));
  return env::parse_pip_report(text);
}

/// Whether torch is a file at a URL, for which indexes do not matter.
bool is_direct(const matrix::TorchSettings& torch) {
  return torch.spec.find("://") != std::string::npos;
}

/// A torch that pip found, and the compute that it was built for.
struct FoundTorch {
  env::PipPackage package;
  std::string label;  ///< "cu130"; empty: unknown
};

Result<FoundTorch> torch_from(const EnvMachine& machine, const env::Pip& pip,
                              const env::Request& request, const std::string& index,
                              const std::string& report) {
  std::string what = fmt::format("resolving {}", pinwheel::quoted(request.torch.spec));
  if (!index.empty()) what += " from " + pinwheel::quoted(env::without_credentials(index));
  TRY(const env::PipReport found,
      report_of(machine, env::resolve_torch(pip, request, index, report), report, what));
  if (found.packages.size() != 1) {
    return fail(ErrorKind::config,
                fmt::format("{} is not a single package", pinwheel::quoted(request.torch.spec)),
                "write one requirement, `torch~=2.13.0`");
  }
  const env::PipPackage& torch = found.packages.front();
  return FoundTorch{torch, env::label_of_torch(torch, found.requires_dist.at(torch.name))};
}

constexpr std::string_view kNotReplaced =
    "the torch of another index may be for another compute, so it does not replace it";

/// Why an index does not respond; nullopt if it does. Queried with the Python of pip, to use the
/// user's proxy and certificates: pip would do the same, but takes long if the index is down.
Result<std::optional<Error>> silence_of(const EnvMachine& machine, const env::Pip& pip,
                                        const std::string& index) {
  // Only pip can look into a directory.
  if (index.starts_with("file:")) return std::nullopt;
  TRY(const ports::Captured ran, machine.process.capture(env::probe_index(pip, index)));
  if (ran.exit.canceled) return fail(ErrorKind::interrupted, "resolving was interrupted");
  if (ran.exit.ok()) return std::nullopt;
  const env::Diagnosis diagnosis = env::classify_pip(ran.exit, ran.err);
  const bool permanent = diagnosis.kind == ErrorKind::environment;
  const std::string reason = split(trim(ran.err), '\n').back();
  return Error{.kind = permanent ? diagnosis.kind : ErrorKind::transient,
               .message = fmt::format("the index {} for torch does not respond: {}",
                                      pinwheel::quoted(env::without_credentials(index)),
                                      reason.empty() ? "no answer in time" : reason),
               .hint = permanent ? diagnosis.hint : std::string(kNotReplaced)};
}

/// Torch from its own index, and from no other: another index may have a build for another compute
/// under the same name.
Result<Torch> torch_of_index(const EnvMachine& machine, const env::Pip& pip,
                             const env::Request& request, const std::string& configuration,
                             const std::string& report) {
  const env::Pip alone{pip.python, env::without_indexes(pip.variables, configuration)};
  Result<FoundTorch> found = torch_from(machine, alone, request, request.torch.index, report);
  if (found) return Torch{std::move(found->package), request.torch.index};
  Error error = std::move(found).error();
  if (error.kind == ErrorKind::config) {
    error.hint =
        fmt::format("Python {} needs a build on that index: {}", request.python, kNotReplaced);
  }
  return fail(std::move(error));
}

/// Torch from pip's configured sources, instead of an index that does not respond: only if it is a
/// build for the same compute.
Result<Torch> torch_instead(const EnvMachine& machine, const env::Pip& pip,
                            const env::Request& request, Error silent, const std::string& report) {
  const Result<FoundTorch> found = torch_from(machine, pip, request, {}, report);
  if (!found && found.error().kind == ErrorKind::interrupted) return fail(found.error());
  if (!found) return fail(std::move(silent));
  if (!env::is_build_of(request.torch.index, found->label)) {
    silent.hint = fmt::format("torch {} of the pip configuration {}, and does not replace it",
                              found->package.version,
                              found->label.empty() ? "does not say for which compute it was built"
                                                   : fmt::format("was built for {}", found->label));
    return fail(std::move(silent));
  }
  silent.hint = fmt::format("torch {} of the pip configuration was built for {}, too, and is used",
                            found->package.version, found->label);
  return Torch{found->package, {}, {std::move(silent)}};
}

Result<Torch> resolve_torch(const EnvMachine& machine, const env::Pip& pip,
                            const env::Request& request, const fs::path& reports) {
  const std::string report = (reports / "torch.json").string();
  if (request.torch.index.empty() || is_direct(request.torch)) {
    TRY(FoundTorch found, torch_from(machine, pip, request, {}, report));
    return Torch{std::move(found.package)};
  }
  TRY(const ports::Captured listed, machine.process.capture(env::list_configuration(pip)));
  if (env::configured_indexes(listed.out).no_index) {
    Error unasked{ErrorKind::environment,
                  fmt::format("the index {} for torch is not asked: pip is configured with "
                              "`no-index`",
                              pinwheel::quoted(env::without_credentials(request.torch.index))),
                  {}};
    return torch_instead(machine, pip, request, std::move(unasked), report);
  }
  TRY(std::optional<Error> silent, silence_of(machine, pip, request.torch.index));
  if (silent) return torch_instead(machine, pip, request, *std::move(silent), report);
  return torch_of_index(machine, pip, request, listed.out, report);
}

/// Builds and tests of one run resolve a nightly minutes apart.
constexpr std::chrono::hours kSameNightly{1};

/// The request with the version of torch that an equal choice got before, if that is still valid.
env::Request with_recorded_torch(const EnvMachine& machine, env::Request request, Refresh refresh) {
  if (refresh == Refresh::yes || is_direct(request.torch)) return request;
  const Result<env::Resolution> known = load_resolution(machine, env::torch_digest(request));
  if (!known || known->packages.size() != 1) return request;
  if (env::is_nightly(request) && machine.clock.now() - known->at > kSameNightly) return request;
  const env::PipPackage& torch = known->packages.front();
  std::vector<std::string> words = env::parse_spec(request.torch.spec).options;
  words.push_back(torch.name + "==" + torch.version);
  request.torch.spec = join(words, " ");
  return request;
}

Done record_torch(const EnvMachine& machine, const env::Request& request, const Torch& torch) {
  env::Resolution chosen;
  chosen.request = env::torch_digest(request);
  chosen.packages = {torch.package};
  chosen.packages.front().url.clear();
  chosen.at = std::chrono::floor<std::chrono::seconds>(machine.clock.now());
  return record_resolution(machine, chosen.request, env::to_json(chosen));
}

/// A torch from its own index is pinned by URL, else by version: the second resolution must not use
/// that index.
std::string pin(const Torch& torch) {
  if (torch.index.empty()) return torch.package.name + "==" + torch.package.version;
  return fmt::format("{} @ {}#sha256={}", torch.package.name, torch.package.url,
                     torch.package.sha256);
}

/// The request with the locked torch, or with torch within the versions that its upgrade names.
env::Request with_locked_torch(env::Request request, const Upgrade& upgrade) {
  const env::PipPackage* const torch = upgrade.locked.find("torch");
  if (torch == nullptr || is_direct(request.torch)) return request;
  auto [words, requirement] = env::parse_spec(request.torch.spec);
  std::string versions = "==" + torch->version;
  for (const pep::Requirement& each : upgrade.upgraded) {
    if (pep::normalize_name(each.name) == "torch") versions = pep::to_string(each.specifiers);
  }
  if (versions.empty()) return request;
  words.push_back("torch" + versions);
  request.torch.spec = join(words, " ");
  return request;
}

/// The present packages that a resolution retains: torch as it was chosen before, unless everything
/// is refreshed, or all packages that an upgrade does not change.
struct RetainedPackages {
  Refresh refresh = Refresh::no;
  std::optional<Upgrade> upgrade = std::nullopt;
};

Result<Resolved> resolve_anew(const EnvMachine& machine, const env::Request& request,
                              const ResolutionBase& base, const RetainedPackages& retained) {
  Resolved result;
  env::Resolution& resolution = result.resolution;
  resolution.request = env::digest(request);
  if (!request.python.empty()) resolution.python = env::full_version(base.interpreter);
  resolution.conda = base.conda;
  resolution.at = std::chrono::floor<std::chrono::seconds>(machine.clock.now());
  if (request.torch.spec.empty() && request.requirements.empty()) return result;
  TRY(const env::Pip pip, own_pip(machine, base.interpreter));
  // The lock is per project and the cache per user: another project may resolve the same request at
  // the same time.
  const fs::path reports =
      machine.cache / "scratch" / fmt::format("resolve-{}-{}", env::digest(request), ::getpid());
  TRY(const ScratchDirectory scratch, ScratchDirectory::make(machine.files, reports));
  std::string torch_pin;
  if (!request.torch.spec.empty()) {
    const env::Request chosen = retained.upgrade
                                    ? with_locked_torch(request, *retained.upgrade)
                                    : with_recorded_torch(machine, request, retained.refresh);
    TRY(Torch torch, resolve_torch(machine, pip, chosen, reports));
    TRY_DONE(record_torch(machine, request, torch));
    torch_pin = pin(torch);
    resolution.torch_index = torch.index;
    result.warnings = std::move(torch.warnings);
  }
  const std::string report = (reports / "all.json").string();
  std::string constraints;
  if (const std::optional<Upgrade>& upgrade = retained.upgrade) {
    constraints = (reports / "constraints.txt").string();
    TRY_DONE(machine.files.write(constraints,
                                 env::constraints_text(upgrade->locked, upgrade->upgraded)));
  }
  TRY(env::PipReport found,
      report_of(machine, env::resolve_all(pip, request, torch_pin, report, constraints), report,
                fmt::format("resolving the packages for Python {}", request.python)));
  resolution.pip = found.pip;
  resolution.packages = std::move(found.packages);
  const std::vector<std::string> named = env::places_in(request);
  for (env::PipPackage& package : resolution.packages) {
    package.url = env::public_url(package.url, named);
  }
  return result;
}

/// Whether a recorded torch is from its own index, or a build for the same compute.
bool has_own_torch(const env::Request& request, const env::Resolution& known) {
  return request.torch.index.empty() || !known.torch_index.empty() || is_direct(request.torch) ||
         env::is_build_of(request.torch.index, env::label_of_torch(known));
}

void log_resolution(const EnvMachine& machine, const env::Request& request, std::string decision) {
  machine.log->write({ports::LogLevel::info,
                      "resolution",
                      {{"python", request.python},
                       {"requirements", request.requirements},
                       {"torch", request.torch.spec},
                       {"decision", std::move(decision)}}});
}

}  // namespace

Done record_resolution(const EnvMachine& machine, const std::string& request_digest,
                       const std::string& json) {
  return machine.files.write(record_of(machine, request_digest), json);
}

Result<env::Resolution> load_resolution(const EnvMachine& machine,
                                        const std::string& request_digest) {
  if (machine.given) {
    const auto given = machine.given->find(request_digest);
    if (given != machine.given->end()) return env::parse_resolution(given->second);
  }
  const fs::path path = record_of(machine, request_digest);
  TRY(const ports::FileStatus status, machine.files.status(path));
  if (status.type == ports::FileType::missing) {
    return fail(ErrorKind::environment,
                fmt::format("no resolution is recorded for {}", pinwheel::quoted(request_digest)));
  }
  TRY(const std::string text, machine.files.read(path));
  return env::parse_resolution(text);
}

Result<Resolved> resolve(const EnvMachine& machine, const env::Request& request, Refresh refresh) {
  const bool conda = !request.conda.packages.empty();
  std::optional<ResolutionBase> base;
  if (!conda) {
    TRY(env::Interpreter interpreter, interpreter_for(machine, request.python));
    base = ResolutionBase{std::move(interpreter)};
  }
  const fs::path path = record_of(machine, env::digest(request));
  TRY_DONE(machine.files.make_directories(path.parent_path()));
  TRY(const std::unique_ptr<ports::FileLock> lock,
      machine.files.lock(path.string() + ".lock", ports::IfLocked::wait));
  if (refresh == Refresh::no && !env::is_nightly(request)) {
    // A corrupt record is recreated rather than reported: pip can find all of its contents again.
    const Result<env::Resolution> known = load_resolution(machine, env::digest(request));
    // Conda packages include the Python that they were resolved for.
    if (known && has_own_torch(request, *known) &&
        (conda || known->python == env::full_version(base->interpreter))) {
      log_resolution(machine, request, "recorded in " + path.string());
      return Resolved{*known};
    }
  }
  log_resolution(machine, request, refresh == Refresh::yes ? "resolve, as asked" : "resolve");
  if (conda) {
    TRY(base, conda_base(machine, request));
  }
  TRY(Resolved result, resolve_anew(machine, request, *base, {refresh}));
  TRY_DONE(record_resolution(machine, env::digest(request), env::to_json(result.resolution)));
  return result;
}

Result<Resolved> resolve_upgrade(const EnvMachine& machine, const env::Request& request,
                                 const Upgrade& upgrade) {
  ResolutionBase base;
  if (upgrade.locked.conda.empty()) {
    TRY(base.interpreter, interpreter_for(machine, request.python));
  } else {
    TRY(CondaPrefix prefix, make_conda_prefix(machine, request.python, upgrade.locked.conda));
    base = {std::move(prefix.interpreter), upgrade.locked.conda};
  }
  log_resolution(machine, request, "upgrade");
  TRY(Resolved result, resolve_anew(machine, request, base, {Refresh::no, upgrade}));
  TRY_DONE(record_resolution(machine, env::digest(request), env::to_json(result.resolution)));
  return result;
}

}  // namespace pinwheel::host
