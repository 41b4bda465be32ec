#include "host/system/mount_namespace.h"

#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "host/system/program.h"

namespace pinwheel::host {
namespace {

// `mount` and its pairs before `--`, then the directory to enter, then the command. Mounts below a
// directory are mounted with it.
constexpr const char* kMountAndRun =
    R"(mount=$1; shift; while [ "$1" != -- ]; do "$mount" --rbind "$1" "$2" || exit 125; shift 2; )"
    R"(done; shift; cd "$1" || exit 125; shift; exec "$@")";

/// The path of a program that enters the namespace. The command's own PATH names directories of the
/// namespace, and other programs may have these names there.
std::string system_program(const std::string& name) {
  const char* const own = std::getenv("PATH");
  const std::string path = std::string("/usr/sbin:/usr/bin:/sbin:/bin:") + (own ? own : "");
  const Result<std::string> found = find_program(name, {{"PATH", path}});
  return found ? *found : name;
}

}  // namespace

ports::Command in_mount_namespace(ports::Command command) {
  if (command.mounts.empty()) return command;
  std::vector<std::string> argv = {system_program("unshare"), "--mount"};
  if (geteuid() != 0) argv.insert(argv.end(), {"--user", "--map-root-user"});
  argv.insert(argv.end(),
              {"--", system_program("sh"), "-c", kMountAndRun, "sh", system_program("mount")});
  for (const ports::Mount& mount : command.mounts) {
    argv.push_back(mount.from.string());
    argv.push_back(mount.at.string());
  }
  argv.emplace_back("--");
  argv.push_back(command.directory.string());
  argv.insert(argv.end(), command.argv.begin(), command.argv.end());
  command.argv = std::move(argv);
  command.directory = "/";
  command.mounts.clear();
  return command;
}

}  // namespace pinwheel::host
