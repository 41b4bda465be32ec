#include "prepare/configuration.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "base/text.h"

namespace pinwheel::prepare {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProjectConfiguration = ".pinwheel.yaml";

/// The user's file; empty without a home directory.
fs::path user_configuration(const Host& host) {
  const fs::path base = value_at(host.variables, "XDG_CONFIG_HOME");
  if (base.is_absolute()) return base / "pinwheel" / "config.yaml";
  const fs::path home = value_at(host.variables, "HOME");
  return home.is_absolute() ? home / ".config" / "pinwheel" / "config.yaml" : fs::path();
}

}  // namespace

Result<slurm::ExecutorSettings> read_configuration(const Host& host) {
  std::vector<slurm::ConfigurationText> files;
  const fs::path user = user_configuration(host);
  // The path of the project's file is shown as the user would name it.
  for (const auto& [path, name] :
       {std::pair(user, user.string()),
        std::pair(host.at(kProjectConfiguration), std::string(kProjectConfiguration))}) {
    if (path.empty() || host.files.resolved_type(path) == ports::FileType::missing) continue;
    TRY(std::string text, host.files.read(path, limits::kMatrix));
    files.push_back({name, std::move(text)});
  }
  return slurm::read_settings(files);
}

}  // namespace pinwheel::prepare
