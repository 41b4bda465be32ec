#include "host/machine/fixed_path.h"

#include <map>
#include <string>
#include <utility>

namespace pinwheel::host {

namespace fs = std::filesystem;

BuildSpace::BuildSpace(fs::path scratch, PathMode mode, std::vector<BuildMount> mounts)
    : scratch_(std::move(scratch)), mode_(mode), mounts_(std::move(mounts)) {}

fs::path BuildSpace::seen(const fs::path& relative) const {
  if (mode_ == PathMode::fixed) return kFixedPath / relative;
  return real(relative);
}

fs::path BuildSpace::real(const fs::path& relative) const {
  for (const BuildMount& mount : mounts_) {
    const fs::path inside = relative.lexically_relative(mount.at);
    if (!inside.empty() && *inside.begin() != "..") {
      return inside == "." ? mount.from : mount.from / inside;
    }
  }
  return scratch_ / relative;
}

ports::Command BuildSpace::wrap(ports::Command command) const {
  if (mode_ == PathMode::real) return command;
  command.mounts.push_back({scratch_, kFixedPath});
  for (const BuildMount& mount : mounts_)
    command.mounts.push_back({mount.from, kFixedPath / mount.at});
  command.mounts.insert(command.mounts.end(), covers_.begin(), covers_.end());
  return command;
}

ports::Network probe_network(ports::Process& process) {
  const std::map<std::string, std::string> variables = {{"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"}};
  ports::Command command{{"true"}, "/", variables, {}};
  command.network = ports::Network::loopback;
  const Result<ports::Captured> tried = process.capture(command);
  return tried && tried->exit.ok() ? ports::Network::loopback : ports::Network::whole;
}

PathMode probe_path_mode(ports::Process& process, const fs::path& scratch) {
  std::error_code ignored;
  fs::create_directories(kFixedPath, ignored);
  const BuildSpace space(scratch, PathMode::fixed, {});
  ports::Command command{{"true"}, kFixedPath, {{"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"}}, {}};
  const Result<ports::Captured> tried = process.capture(space.wrap(std::move(command)));
  return tried && tried->exit.ok() ? PathMode::fixed : PathMode::real;
}

}  // namespace pinwheel::host
