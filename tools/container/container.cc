#include "container/container.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string_view>

namespace pinwheel::container {
namespace {

using Variables = std::map<std::string, std::string>;

constexpr std::array<std::string_view, 6> kClientNames = {"PATH",   "HOME", "USER",
                                                          "TMPDIR", "LANG", "XDG_RUNTIME_DIR"};
constexpr std::array<std::string_view, 4> kClientPrefixes = {"DOCKER_", "CONTAINER", "BUILDKIT_",
                                                             "XDG_"};

/// Whether docker or podman reads a variable of that name itself.
bool client_reads(std::string_view name) {
  const bool named =
      std::find(kClientNames.begin(), kClientNames.end(), name) != kClientNames.end();
  return named || std::any_of(kClientPrefixes.begin(), kClientPrefixes.end(),
                              [&](std::string_view prefix) { return name.starts_with(prefix); });
}

std::string mount_argument(const ContainerMount& mount) {
  // The long form: a colon in a path would break the short one.
  std::string text = fmt::format("type=bind,source={},target={}", mount.from, mount.at);
  if (mount.access == Access::read_only) text += ",readonly";
  return text;
}

void append_labels(const std::map<std::string, std::string>& labels,
                   std::vector<std::string>& argv) {
  for (const auto& [name, value] : labels) {
    argv.emplace_back("--label");
    argv.push_back(name + "=" + value);
  }
}

void append_attached(Attached attached, std::vector<std::string>& argv) {
  if (attached == Attached::output) return;
  argv.emplace_back("--interactive");
  if (attached != Attached::terminal) return;
  // Ctrl-P must reach the shell; by default the client intercepts it and waits for a Ctrl-Q.
  argv.insert(argv.end(), {"--tty", "--detach-keys", "ctrl-^,ctrl-q"});
}

/// Unsets variables that the image sets and the command does not.
std::vector<std::string> without_image_variables(const Container& container,
                                                 const ports::Command& command) {
  std::vector<std::string> argv;
  for (const std::string& name : container.image_variables) {
    if (command.environment.contains(name)) continue;
    argv.insert(argv.end(), {"-u", name});
  }
  if (!argv.empty()) argv.insert(argv.begin(), "env");
  argv.insert(argv.end(), command.argv.begin(), command.argv.end());
  return argv;
}

}  // namespace

ports::Command run_in_container(const Container& container, const std::string& name,
                                const ports::Command& command, const Variables& client_variables) {
  ports::Command out;
  out.timeout = command.timeout;
  out.directory = "/";
  out.environment = client_variables;
  out.tracing = ports::Tracing::privileged;
  std::vector<std::string>& argv = out.argv;
  argv = {container.client, "run", "--pull", "never", "--name", name, "--entrypoint", ""};
  append_attached(container.attached, argv);
  append_labels(container.labels, argv);
  if (!container.user.empty()) argv.insert(argv.end(), {"--user", container.user});
  const bool alone = command.network == ports::Network::loopback;
  const std::string network = alone ? "none" : container.network;
  if (!network.empty()) argv.insert(argv.end(), {"--network", network});
  if (!container.platform.empty()) argv.insert(argv.end(), {"--platform", container.platform});
  if (container.gpus == GpuAccess::all) argv.insert(argv.end(), {"--gpus", "all"});
  if (!command.directory.empty()) {
    argv.insert(argv.end(), {"--workdir", command.directory.string()});
  }
  for (const ContainerMount& mount : container.mounts) {
    argv.insert(argv.end(), {"--mount", mount_argument(mount)});
  }
  for (const ports::Mount& mount : command.mounts) {
    argv.insert(
        argv.end(),
        {"--mount", mount_argument({mount.from.string(), mount.at.string(), Access::read_write})});
  }
  for (const auto& [variable, value] : command.environment) {
    argv.emplace_back("--env");
    if (client_reads(variable)) {
      argv.push_back(variable + "=" + value);
    } else {
      argv.push_back(variable);
      out.environment[variable] = value;
    }
  }
  argv.push_back(container.image);
  const std::vector<std::string> inside = without_image_variables(container, command);
  argv.insert(argv.end(), inside.begin(), inside.end());
  return out;
}

ports::Command with_id_file(ports::Command run, const std::string& file) {
  constexpr std::ptrdiff_t kOptions = 2;  // after the client and `run`
  run.argv.insert(run.argv.begin() + kOptions, {"--cidfile", file});
  return run;
}

ports::Command remove_container(const std::string& client, const std::string& name,
                                const Variables& client_variables) {
  return {{client, "rm", "--force", "--volumes", name}, "/", client_variables, {}};
}

ports::Command stop_container(const std::string& client, const std::string& name,
                              const Variables& client_variables) {
  return {{client, "kill", name}, "/", client_variables, {}};
}

ports::Command list_containers(const std::string& client, const std::string& label,
                               const Variables& client_variables) {
  return {{client, "ps", "--all", "--filter", "label=" + label, "--format", "{{.Names}}"},
          "/",
          client_variables,
          {}};
}

Variables client_variables(const Variables& user) {
  Variables out;
  for (const auto& [name, value] : user) {
    if (client_reads(name)) out.emplace(name, value);
  }
  return out;
}

std::vector<std::string> paths_in(std::string_view text) {
  constexpr std::string_view kFile = "file://";
  constexpr std::string_view kBetweenWords = " \t\r\n,;'\"=";
  std::vector<std::string> paths;
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = std::min(text.find_first_of(kBetweenWords, at), text.size());
    std::string_view word = text.substr(at, end - at);
    at = end + 1;
    if (word.starts_with(kFile)) word.remove_prefix(kFile.size());
    while (word.size() > 1 && word.ends_with('/')) word.remove_suffix(1);
    const bool path = word.size() > 1 && word[0] == '/' && word[1] != '/';
    if (!path || std::find(paths.begin(), paths.end(), word) != paths.end()) continue;
    paths.emplace_back(word);
  }
  return paths;
}

Variables contained_variables(Variables user, const Variables& image, const std::string& home) {
  user.erase("PATH");
  user.erase("LD_LIBRARY_PATH");
  for (const auto& [name, value] : image) user[name] = value;
  user.try_emplace("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
  user["HOME"] = home;
  return user;
}

std::string container_name(const std::string& text) {
  std::string name = text;
  std::replace_if(
      name.begin(), name.end(),
      [](unsigned char c) { return std::isalnum(c) == 0 && c != '_' && c != '.' && c != '-'; },
      '-');
  return name;
}

}  // namespace pinwheel::container
