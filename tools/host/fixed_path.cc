#include "host/fixed_path.h"

#include <unistd.h>

#include <utility>

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

// Mounts pairs up to `--`, enters the directory after it, becomes the command.
constexpr const char* kMountAndRun =
    R"(while [ "$1" != -- ]; do mount --bind "$1" "$2" || exit 125; shift 2; done; )"
    R"(shift; cd "$1" || exit 125; shift; exec "$@")";

std::vector<std::string> unshare_arguments() {
  std::vector<std::string> argv = {"unshare", "--mount"};
  if (geteuid() != 0) argv.insert(argv.end(), {"--user", "--map-root-user"});
  argv.emplace_back("--");
  return argv;
}

}  // namespace

BuildSpace::BuildSpace(fs::path scratch, PathMode mode, std::vector<Mount> mounts)
    : scratch_(std::move(scratch)), mode_(mode), mounts_(std::move(mounts)) {}

fs::path BuildSpace::seen(const fs::path& relative) const {
  if (mode_ == PathMode::fixed) return kFixedPath / relative;
  return real(relative);
}

fs::path BuildSpace::real(const fs::path& relative) const {
  for (const Mount& mount : mounts_) {
    const fs::path inside = relative.lexically_relative(mount.at);
    if (!inside.empty() && *inside.begin() != "..") {
      return inside == "." ? mount.from : mount.from / inside;
    }
  }
  return scratch_ / relative;
}

ports::Command BuildSpace::wrap(ports::Command command) const {
  if (mode_ == PathMode::real) return command;
  std::vector<std::string> argv = unshare_arguments();
  argv.insert(argv.end(), {"sh", "-c", kMountAndRun, "sh", scratch_.string(), kFixedPath});
  for (const Mount& mount : mounts_) {
    argv.push_back(mount.from.string());
    argv.push_back((kFixedPath / mount.at).string());
  }
  argv.emplace_back("--");
  argv.push_back(command.directory.string());
  argv.insert(argv.end(), command.argv.begin(), command.argv.end());
  command.argv = std::move(argv);
  command.directory = "/";
  return command;
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
