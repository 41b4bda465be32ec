#include "host/provision/env_overlay.h"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "env/resolution.h"
#include "host/machine/install_time.h"
#include "host/provision/env_pip.h"
#include "host/system/share_file.h"
#include "pep/name.h"
#include "pep/wheel_name.h"

namespace pinwheel::host {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kDistInfo = ".dist-info";

/// The same wheel under a name that pip accepts: without the label of a wheel variant.
Result<std::string> without_label(const EnvMachine& machine, const std::string& what,
                                  const fs::path& directory) {
  const fs::path path = what;
  Result<pep::WheelName> name = pep::parse_wheel_name(path.filename().string());
  if (!name || name->variant.empty()) return what;
  name->variant.clear();
  TRY_DONE(machine.files.make_directories(directory));
  fs::path plain = directory / pep::to_string(*name);
  TRY_DONE(share_file(path, plain));
  return plain.string();
}

}  // namespace

Overlay::Overlay(const EnvMachine& machine, const BaseEnvironment& base, fs::path directory)
    : machine_(&machine),
      base_(base),
      directory_(std::move(directory)),
      python_(env::venv_python(directory_.string())) {}

Overlay::Overlay(Overlay&& other) noexcept
    : machine_(other.machine_),
      base_(std::move(other.base_)),
      directory_(std::exchange(other.directory_, fs::path())),
      python_(std::move(other.python_)) {}

Overlay::~Overlay() {
  // A failure here leaves only scratch files, which the next run removes.
  if (!directory_.empty()) static_cast<void>(machine_->files.remove_all(directory_));
}

Result<Overlay> Overlay::create(const EnvMachine& machine, const BaseEnvironment& base,
                                const fs::path& directory) {
  TRY(const ports::FileStatus status, machine.files.status(directory));
  if (status.type != ports::FileType::missing) {
    return fail(ErrorKind::internal,
                fmt::format("{} already exists", pinwheel::quoted(directory.string())));
  }
  Overlay overlay(machine, base, directory);
  const env::Variables variables = env::pip_variables(machine.variables);
  TRY_DONE(run_venv(
      machine, env::make_venv(base.interpreter, directory.string(), env::WithPip::none, variables),
      directory.string()));
  // addsitedir, not a bare path: .pth files of the base apply too. It comes after the overlay's own
  // directory on sys.path, so packages installed here hide those of the base.
  const fs::path link =
      fs::path(env::site_packages(directory.string(), base.interpreter)) / "pinwheel-base.pth";
  TRY_DONE(machine.files.write(link, env::base_link(base.site_packages)));
  TRY_DONE(machine.files.write(directory / "base-constraints.txt",
                               env::constraints_text(base.resolution, base.purpose)));
  return overlay;
}

Done Overlay::install(const std::vector<std::string>& what, env::Dependencies dependencies) const {
  if (what.empty()) return {};
  const InstallTime measured(*machine_);
  TRY(const env::Pip pip, own_pip(*machine_, base_.interpreter));
  const std::string constraints = (directory_ / "base-constraints.txt").string();
  std::vector<std::string> accepted;
  for (const std::string& each : what) {
    TRY(std::string name, without_label(*machine_, each, directory_ / "unlabeled"));
    accepted.push_back(std::move(name));
  }
  return run_pip(*machine_, env::install_overlay(pip, python_, accepted, constraints, dependencies),
                 "installing " + join(what, ", "));
}

Result<std::vector<std::string>> Overlay::visible_packages() const {
  // A package installed here hides the base's.
  std::map<std::string, std::string> versions;
  for (const std::string& place :
       {env::site_packages(directory_.string(), base_.interpreter), base_.site_packages}) {
    TRY(const std::vector<std::string> names, machine_->files.list(place));
    for (const std::string& name : names) {
      const size_t dash = name.find('-');
      if (dash == std::string::npos || !name.ends_with(kDistInfo)) continue;
      versions.emplace(pep::normalize_name(name.substr(0, dash)),
                       name.substr(dash + 1, name.size() - dash - 1 - kDistInfo.size()));
    }
  }
  std::vector<std::string> packages;
  packages.reserve(versions.size());
  for (const auto& [name, version] : versions) packages.push_back(name + " " + version);
  return packages;
}

std::string Overlay::path() const {
  const auto user = machine_->variables.find("PATH");
  std::string path = (directory_ / "bin").string() + ":";
  for (const fs::path& base : {base_.directory, base_.conda}) {
    if (!base.empty()) path += (base / "bin").string() + ":";
  }
  return path + (user == machine_->variables.end() ? "/usr/bin:/bin" : user->second);
}

}  // namespace pinwheel::host
