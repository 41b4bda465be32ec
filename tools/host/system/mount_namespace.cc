#include "host/system/mount_namespace.h"

#include <unistd.h>

#include <utility>

namespace pinwheel::host {
namespace {

// Mounts the pairs before `--`, changes to the directory after it, execs the command.
constexpr const char* kMountAndRun =
    R"(while [ "$1" != -- ]; do mount --bind "$1" "$2" || exit 125; shift 2; done; )"
    R"(shift; cd "$1" || exit 125; shift; exec "$@")";

}  // namespace

ports::Command in_mount_namespace(ports::Command command) {
  if (command.mounts.empty()) return command;
  std::vector<std::string> argv = {"unshare", "--mount"};
  if (geteuid() != 0) argv.insert(argv.end(), {"--user", "--map-root-user"});
  argv.insert(argv.end(), {"--", "sh", "-c", kMountAndRun, "sh"});
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
