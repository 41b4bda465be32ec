#include "host/steps/install.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "env/torch_index.h"
#include "host/index/publish_target.h"
#include "host/machine/gpu.h"
#include "host/machine/machine_name.h"
#include "host/provision/env_checks.h"
#include "host/provision/env_pip.h"
#include "host/provision/uv.h"
#include "host/steps/promotion.h"
#include "host/steps/test_site.h"
#include "host/system/file_source.h"
#include "host/wheels/importable_names.h"
#include "pep/name.h"
#include "plan/names.h"
#include "publish/promotion.h"
#include "wheel/archive.h"
#include "wheel/metadata.h"
#include "wheel/record.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// The facts of the wheel that is expected in the environment.
struct ExpectedWheel {
  fs::path path;
  std::string sha256;
  std::string dist_info = {};  ///< the name of its directory
  std::vector<wheel::RecordRow> files = {};
  std::vector<std::string> requirements = {};  ///< of others, with their markers
  std::vector<std::string> modules = {};
};

Result<ExpectedWheel> expected_wheel(const StepContext& context, const plan::InstallWheel& action) {
  for (const plan::StepOutcome& need : context.attempt.needs) {
    if (need.id != action.build) continue;
    for (const plan::Output& output : need.outputs) {
      const fs::path path = output.path;
      if (!plan::is_wheel_named(path.filename().string(), action.name)) continue;
      ExpectedWheel expected{path, output.sha256};
      TRY(const std::unique_ptr<FileSource> source, FileSource::open(path));
      TRY(const wheel::WheelArchive archive, wheel::open_wheel(path.filename().string(), *source));
      expected.dist_info = archive.dist_info;
      TRY(const std::string record, archive.read_info("RECORD"));
      TRY(expected.files, wheel::parse_record(record));
      TRY(const std::string text, archive.read_info("METADATA"));
      TRY(const wheel::Metadata metadata, wheel::parse_metadata(text));
      expected.requirements = metadata.requires_dist();
      TRY(expected.modules, importable_names(path));
      return expected;
    }
  }
  return fail(ErrorKind::internal, fmt::format("{} built no wheel for {}", quoted(action.build),
                                               quoted(action.target.name)));
}

/// The record of the project, which must have the wheel that was built and tested.
Result<publish::ReleaseRecord> record_with(const std::vector<publish::ReleaseRecord>& records,
                                           const ExpectedWheel& expected,
                                           const plan::InstallWheel& action) {
  const std::string name = expected.path.filename().string();
  for (const publish::ReleaseRecord& record : records) {
    for (const publish::RecordedFile& file : record.files) {
      if (file.filename == name && file.sha256 == expected.sha256) return record;
    }
  }
  return fail(ErrorKind::check,
              fmt::format("the record of {} does not list {} with the SHA-256 that {} produced",
                          quoted(action.target.name), quoted(name), quoted(action.build)),
              "remove the record from the output directory and run again");
}

/// A verdict on the release: an installer or Python ran and rejected it. Everything else, such as
/// an index that does not answer, keeps its kind.
Done as_verdict(Done done) {
  if (done) return done;
  Error error = std::move(done).error();
  if (error.kind == ErrorKind::step || error.kind == ErrorKind::config) {
    error.kind = ErrorKind::check;
  }
  return fail(std::move(error));
}

/// Checks that the installer chose the wheel of the variant's build among those of the release.
Done check_installed(const StepContext& context, const Overlay& overlay,
                     const BaseEnvironment& base, const ExpectedWheel& expected,
                     const std::string& installer) {
  const fs::path packages = env::site_packages(overlay.directory().string(), base.interpreter);
  const fs::path record = packages / expected.dist_info / "RECORD";
  std::vector<std::string> missing = {expected.dist_info};
  TRY(const ports::FileStatus status, context.machine.files.status(record));
  if (status.type == ports::FileType::regular) {
    TRY(const std::string text, context.machine.files.read(record, limits::kRecord));
    TRY(const std::vector<wheel::RecordRow> rows, wheel::parse_record(text));
    missing = wheel::not_installed(expected.files, rows, expected.dist_info);
  }
  if (missing.empty()) return {};
  return fail(ErrorKind::check,
              fmt::format("{} installed another wheel than {}: {} differs", installer,
                          quoted(expected.path.filename().string()), quoted(missing.front())),
              "another wheel of the release has tags that installers prefer here");
}

/// An environment and what is needed to install into it.
struct InstallSite {
  const StepContext& context;
  const plan::InstallWheel& action;
  const BaseEnvironment& base;  ///< with the wheel's requirements
  const ExpectedWheel& expected;
  env::IndexInstall install;
  std::string stubs;  ///< the directory of stub libraries for the GPU's; empty: none
};

/// Runs an installer in an environment of its own, and imports what it installed.
Done try_installer(
    const InstallSite& site, const std::string& installer,
    const std::function<Done(const Overlay& overlay, const std::string& what)>& run) {
  const StepContext& context = site.context;
  TRY(const Overlay overlay,
      Overlay::create(context.machine, site.base, context.attempt.scratch / installer));
  const std::string what = fmt::format(
      "installing {} from {} with {}",
      quoted(fmt::format("{}=={}", site.action.name.distribution, site.action.name.version)),
      quoted(site.action.target.name), installer);
  append_log(context, what + "\n");
  TRY_DONE(as_verdict(run(overlay, what)));
  TRY_DONE(check_installed(context, overlay, site.base, site.expected, installer));
  std::map<std::string, std::string> variables =
      test_variables(context, {site.action.variables, site.action.compute}, overlay);
  if (!site.stubs.empty()) {
    std::string& path = variables["LD_LIBRARY_PATH"];
    path = path.empty() ? site.stubs : site.stubs + ":" + path;
  }
  return as_verdict(import_modules(context, overlay, site.expected.modules, variables));
}

/// A pip that asks no index that is configured.
Result<env::Pip> pip_alone(const EnvMachine& machine, const env::Interpreter& interpreter) {
  TRY(const env::Pip pip, own_pip(machine, interpreter));
  TRY(const ports::Captured configured, machine.process.capture(env::list_configuration(pip)));
  env::Pip alone{pip.python, env::without_indexes(pip.variables, configured.out)};
  // The release was uploaded a moment ago: a cooldown is about other packages.
  alone.variables.erase("PIP_UPLOADED_PRIOR_TO");
  return alone;
}

Done try_installers(const InstallSite& site) {
  const EnvMachine& machine = site.context.machine;
  TRY(const env::Pip alone, pip_alone(machine, site.base.interpreter));
  TRY_DONE(try_installer(site, "pip", [&](const Overlay& overlay, const std::string& what) {
    return run_pip(machine, env::install_by_pip(alone, overlay.python(), site.install), what,
                   env::classify_pip_of_release);
  }));
  TRY(const std::string uv, uv_program(machine, site.base.interpreter));
  return try_installer(site, "uv", [&](const Overlay& overlay, const std::string& what) {
    const env::Uv program{uv, env::uv_variables(alone.variables)};
    return run_uv(machine, env::install_by_uv(program, overlay.python(), site.install), what);
  });
}

/// Why the wheel cannot be loaded on this machine; nullopt if it can.
std::optional<std::string> cannot_load(const StepContext& context, const plan::InstallWheel& action,
                                       const BaseEnvironment& base, const fs::path& wheel) {
  if (auto reason = other_libc(base, wheel)) return reason;
  if (action.environment.torch.spec.empty()) return std::nullopt;
  return env::skip_reason(torch_of(context.machine, base.python), action.compute);
}

/// The packages of a base and the requirements of a wheel on top, as a base for others.
BaseEnvironment with_requirements(BaseEnvironment base, const Overlay& requirements) {
  base.python = requirements.python();
  base.site_packages = env::site_packages(requirements.directory().string(), base.interpreter);
  return base;
}

/// Stub libraries for a wheel that can only be loaded here; empty if it needs none.
Result<std::string> stub_directory(const StepContext& context, const plan::InstallWheel& action,
                                   const BaseEnvironment& base) {
  if (action.environment.torch.spec.empty() || !loads_only(context, action.compute)) {
    return std::string();
  }
  std::map<std::string, std::string> variables;
  TRY_DONE(add_stubs(context, base, variables));
  return variables["LD_LIBRARY_PATH"];
}

/// The requirements of a project that is installed in a directory; nullopt if it is not.
Result<std::optional<std::vector<std::string>>> installed_requirements(const StepContext& context,
                                                                       const fs::path& packages,
                                                                       const std::string& project) {
  constexpr std::string_view kInfo = ".dist-info";
  TRY(const std::vector<std::string> names, context.machine.files.list(packages));
  for (const std::string& name : names) {
    if (!name.ends_with(kInfo) || pep::normalize_name(name.substr(0, name.find('-'))) != project) {
      continue;
    }
    TRY(const std::string text,
        context.machine.files.read(packages / name / "METADATA", limits::kMetadata));
    TRY(const wheel::Metadata metadata, wheel::parse_metadata(text));
    return std::optional(metadata.requires_dist());
  }
  return std::nullopt;
}

Done check_sibling(const publish::SiblingLine& sibling, const plan::InstallWheel& action) {
  if (sibling.unmet.empty()) return {};
  return fail(ErrorKind::check,
              fmt::format("the release requires {}, which is not the version that it publishes to "
                          "{}",
                          quoted(sibling.unmet), quoted(action.target.name)),
              "require the version of the release");
}

/// The records of the first target, and the URL of its index.
struct FirstTarget {
  const plan::InstallWheel& action;
  const std::vector<publish::ReleaseRecord>& records;
  const publish::ReleaseRecord& own;
  std::string index;
};

/// Installs the siblings alone, in an environment of their own, to see which of their wheels pip
/// chooses and what these require. A sibling whose marker does not apply is not installed.
Done add_sibling_requirements(const StepContext& context, const FirstTarget& first,
                              const BaseEnvironment& base, publish::InstallLines& lines) {
  size_t known = 0;
  while (known < lines.siblings.size()) {
    const std::vector<publish::SiblingLine> siblings(
        lines.siblings.begin() + static_cast<std::ptrdiff_t>(known), lines.siblings.end());
    for (const publish::SiblingLine& sibling : siblings) {
      const auto record =
          std::ranges::find(first.records, sibling.project, &publish::ReleaseRecord::project);
      TRY_DONE(check_listed(context, first.action.target, *record));
    }
    const fs::path place = context.attempt.scratch / fmt::format("siblings-{}", known);
    const fs::path file = place.string() + ".txt";
    TRY_DONE(context.machine.files.write(file, lines.of_siblings()));
    TRY(const Overlay overlay, Overlay::create(context.machine, base, place));
    TRY(const env::Pip alone, pip_alone(context.machine, base.interpreter));
    TRY_DONE(as_verdict(run_pip(
        context.machine, env::install_by_pip(alone, overlay.python(), {first.index, file.string()}),
        fmt::format("installing what {} requires from {}", quoted(first.own.project),
                    quoted(first.action.target.name)),
        env::classify_pip_of_release)));
    const fs::path packages = env::site_packages(place.string(), base.interpreter);
    known += siblings.size();
    for (const publish::SiblingLine& sibling : siblings) {
      TRY(const auto requirements, installed_requirements(context, packages, sibling.project));
      if (!requirements) continue;
      TRY_DONE(check_sibling(sibling, first.action));
      TRY_DONE(publish::add_requirements(lines, first.records, first.own.project, *requirements));
    }
  }
  return {};
}

Result<std::vector<publish::PinnedVersion>> siblings_of(const plan::InstallWheel& action) {
  std::vector<publish::PinnedVersion> siblings;
  for (const wheel::Naming& naming : action.siblings) {
    TRY(pep::Version version, pep::parse_version(naming.version));
    siblings.push_back({pep::normalize_name(naming.distribution), std::move(version)});
  }
  return siblings;
}

}  // namespace

Result<run::Success> perform_install(const StepContext& context, const plan::InstallWheel& action) {
  if (!action.arch.empty() && running_arch(context.machine) != action.arch) {
    return skipped_here(fmt::format("no {} machine here", action.arch));
  }
  TRY(const ExpectedWheel expected, expected_wheel(context, action));
  TRY(const std::vector<publish::ReleaseRecord> records, first_records(context, action.target));
  TRY(const publish::ReleaseRecord record, record_with(records, expected, action));
  TRY(const BaseEnvironment base, test_environment(context, action.environment, action.compute));
  if (auto reason = cannot_load(context, action, base, expected.path)) {
    return skipped_here(*std::move(reason));
  }
  TRY_DONE(check_listed(context, action.target, record));
  TRY_DONE(make_test_directories(context));
  TRY(const publish::Endpoint endpoint, endpoint_of(action.target));
  publish::InstallLines lines = publish::install_lines(record, action.name.version);
  TRY_DONE(publish::add_requirements(lines, records, record.project, expected.requirements));
  TRY(const std::vector<publish::PinnedVersion> siblings, siblings_of(action));
  TRY_DONE(publish::add_siblings(lines, records, siblings));
  TRY_DONE(add_sibling_requirements(context, {action, records, record, endpoint.simple_url}, base,
                                    lines));
  const fs::path file = context.attempt.scratch / "release.txt";
  TRY_DONE(context.machine.files.write(file, lines.release()));
  TRY(const Overlay requirements,
      Overlay::create(context.machine, base, context.attempt.scratch / "requirements"));
  TRY_DONE(as_verdict(requirements.install(lines.others)));
  const BaseEnvironment with_others = with_requirements(base, requirements);
  TRY(std::string stubs, stub_directory(context, action, base));
  enter_phase(context, plan::StepPhase::execution);
  TRY_DONE(try_installers({context,
                           action,
                           with_others,
                           expected,
                           {endpoint.simple_url, file.string()},
                           std::move(stubs)}));
  run::Success success;
  success.evidence = plan::Evidence::loaded;
  return success;
}

}  // namespace pinwheel::host
