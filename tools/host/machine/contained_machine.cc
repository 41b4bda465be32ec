#include "host/machine/contained_machine.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/text.h"
#include "container/container_image.h"
#include "env/pass_list.h"
#include "host/machine/ignored_directory.h"
#include "host/machine/machine_name.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;
using Variables = std::map<std::string, std::string>;

// A program that runs as PID 1 ignores the signals forwarded by the client; the container is
// removed instead, so there is no point in waiting longer.
constexpr std::chrono::milliseconds kClientGrace(200);

constexpr std::array<std::string_view, 6> kToolkitHomes = {"CUDA_HOME", "CUDA_PATH", "ROCM_PATH",
                                                           "CC",        "CXX",       "CUDAHOSTCXX"};
constexpr std::array<std::string_view, 2> kPipFiles = {"/etc/pip.conf", "/etc/xdg/pip/pip.conf"};

bool exists(ports::Files& files, const fs::path& path) {
  const Result<ports::FileStatus> status = files.status(path);
  return status && status->type != ports::FileType::missing;
}

/// The configuration files that pip reads on the host.
std::vector<std::string> pip_files(const EnvMachine& around) {
  std::vector<std::string> found(kPipFiles.begin(), kPipFiles.end());
  const std::string named = value_at(around.variables, "PIP_CONFIG_FILE");
  if (!named.empty()) found.push_back(named);
  const std::string home = value_at(around.variables, "HOME");
  for (const char* const file : {"/.config/pip/pip.conf", "/.pip/pip.conf"}) {
    if (!home.empty()) found.push_back(home + file);
  }
  std::erase_if(found, [&](const std::string& file) { return !exists(around.files, file); });
  return found;
}

bool names_places(const std::string& name) {
  const bool toolkit =
      std::find(kToolkitHomes.begin(), kToolkitHomes.end(), name) != kToolkitHomes.end();
  return toolkit || env::is_pip_setting(name) || env::is_network_variable(name);
}

/// The pages of a local index link to files next to its `simple` directory (bandersnatch's layout:
/// web/simple and web/packages), so pip needs the parent directory.
std::string with_its_files(const std::string& place) {
  fs::path above;
  for (const fs::path& part : fs::path(place)) {
    if (part == "simple" && above.has_relative_path()) return above.string();
    above /= part;
  }
  return place;
}

/// Files and directories named in the user's configuration, to be mounted at the same path.
std::vector<std::string> named_places(const EnvMachine& around) {
  std::vector<std::string> places = pip_files(around);
  std::string text;
  for (const std::string& file : places) {
    if (const Result<std::string> read = around.files.read(file)) text += *read + "\n";
  }
  for (const auto& [name, value] : around.variables) {
    if (names_places(name)) text += value + "\n";
  }
  for (const std::string& path : container::paths_in(text)) {
    // The image has its own directories below these.
    const bool systems = path == "/etc" || path == "/usr" || path == "/bin" || path == "/lib";
    if (!systems && exists(around.files, path)) places.push_back(with_its_files(path));
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

Variables variables_of(const EnvMachine& around, const Workplace& workplace,
                       const container::ContainerImage& image) {
  Variables variables = container::contained_variables(around.variables, image.variables,
                                                       (workplace.cache / "home").string());
  // pip looks for its files in the user's home directory, which does not exist in the container.
  const std::vector<std::string> files = pip_files(around);
  if (!files.empty() && !variables.contains("PIP_CONFIG_FILE")) {
    variables["PIP_CONFIG_FILE"] = files.back();
  }
  variables["PIP_CACHE_DIR"] = (workplace.cache / "pip").string();
  return variables;
}

/// The value of `kRunLabel`: a short digest of the state directory's path, the same for all its
/// runs.
std::string run_label_value(const fs::path& state) {
  return sha256_hex(state.lexically_normal().string()).substr(0, 12);
}

}  // namespace

container::Container container_of(const EnvMachine& around, const Workplace& workplace,
                                  const container::ContainerImage& image, const std::string& name) {
  container::Container container{workplace.containers.client, image.id};
  for (const auto& [variable, value] : image.variables) {
    container.image_variables.push_back(variable);
  }
  container.labels = {{kRunLabel, run_label_value(workplace.state)}, {"io.pinwheel.step", name}};
  container.user = fmt::format("{}:{}", ::geteuid(), ::getegid());
  container.network = workplace.containers.network;
  container.platform = container::foreign_platform(image.architecture, machine_name());
  container.after_end = workplace.containers.after_failure;
  if (exists(around.files, "/dev/nvidiactl")) container.gpus = container::GpuAccess::all;
  for (const fs::path& directory : {workplace.cache, workplace.state}) {
    container.mounts.push_back(
        {directory.string(), directory.string(), container::Access::read_write});
  }
  container.mounts.push_back({workplace.output.string(), workplace.output.string()});
  for (const std::string& place : named_places(around)) container.mounts.push_back({place, place});
  // Engines reject duplicate mount points.
  std::stable_sort(container.mounts.begin(), container.mounts.end(),
                   [](const auto& a, const auto& b) { return a.at < b.at; });
  const auto twice = std::unique(container.mounts.begin(), container.mounts.end(),
                                 [](const auto& a, const auto& b) { return a.at == b.at; });
  container.mounts.erase(twice, container.mounts.end());
  return container;
}

ContainedMachine::ContainedMachine(const EnvMachine& around, const Workplace& workplace,
                                   const container::ContainerImage& image, const std::string& name,
                                   const std::stop_token& stop)
    : engine_(stop, kClientGrace, workplace.hidden),
      logged_engine_(engine_, *around.log, around.clock),
      logged_cleaner_(cleaner_, *around.log, around.clock),
      process_(logged_engine_, logged_cleaner_, container_of(around, workplace, image, name),
               fmt::format("pinwheel-{}-{}-{}", run_label_value(workplace.state), ::getpid(), name),
               workplace.containers.variables),
      machine_{around.files,
               process_,
               around.clock,
               variables_of(around, workplace, image),
               workplace.cache / "images" / sha256_hex(image.key).substr(0, 12),
               around.state,
               &around,
               around.log,
               around.user,
               around.leases,
               around.given} {}

Result<std::unique_ptr<ContainedMachine>> contain(const EnvMachine& around,
                                                  const Workplace& workplace,
                                                  const matrix::ContainerSettings& container,
                                                  const std::string& name,
                                                  const std::stop_token& stop) {
  if (container.base.empty()) return std::unique_ptr<ContainedMachine>();
  switch (workplace.engine) {
    case container::Engine::host:
      return fail(ErrorKind::internal, fmt::format("{} has no engine", quoted(container.base)));
    case container::Engine::docker:
    case container::Engine::podman:
      break;
  }
  const auto image = workplace.containers.images.find(container::digest(container));
  if (image == workplace.containers.images.end()) {
    return fail(ErrorKind::internal, fmt::format("{} has no image", quoted(container.base)));
  }
  // Mounted directories must exist.
  for (const fs::path& directory : {workplace.cache / "home", workplace.cache / "images"}) {
    TRY_DONE(around.files.make_directories(directory));
  }
  TRY_DONE(make_output_directory(around.files, workplace.output));
  return std::make_unique<ContainedMachine>(around, workplace, image->second, name, stop);
}

void remove_left_containers(ports::Process& process, const Workplace& workplace) {
  const Containers& containers = workplace.containers;
  if (!container::uses_containers(workplace.engine) || containers.client.empty()) return;
  const std::string label = fmt::format("{}={}", kRunLabel, run_label_value(workplace.state));
  const Result<ports::Captured> listed =
      process.capture(container::list_containers(containers.client, label, containers.variables));
  if (!listed || !listed->exit.ok()) return;
  for (const std::string& name : split(trim(listed->out), '\n')) {
    if (name.empty()) continue;
    static_cast<void>(
        process.capture(container::stop_container(containers.client, name, containers.variables)));
    static_cast<void>(process.capture(
        container::remove_container(containers.client, name, containers.variables)));
  }
}

}  // namespace pinwheel::host
