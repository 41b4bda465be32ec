#include "host/dry_run/dry_container.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "container/container_image.h"
#include "host/dry_run/script.h"
#include "host/machine/contained_machine.h"
#include "host/machine/container_images.h"
#include "host/machine/machine_name.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// Finds the image as pinwheel does: by name, or by the content key in its label.
ports::Command find_command(const Workplace& workplace, const matrix::ContainerSettings& settings,
                            const container::ContainerImage& image) {
  const Containers& containers = workplace.containers;
  if (settings.dockerfile.empty()) {
    ports::Command command =
        container::inspect_image(containers.client, settings.base, containers.variables);
    command.argv.insert(command.argv.end() - 1, {"--format", "{{.Id}}"});
    return command;
  }
  return container::find_image(containers.client, image.key, containers.variables);
}

/// The lines that rebuild a missing image.
std::string make_lines(const Workplace& workplace, const matrix::ContainerSettings& settings,
                       const container::ContainerImage& image) {
  const Containers& containers = workplace.containers;
  const ports::Command pull =
      container::pull_image(containers.client, settings.base, settings.arch, containers.variables);
  if (settings.dockerfile.empty()) return "  " + script_line(pull);
  const fs::path dockerfile = (workplace.matrix_directory / settings.dockerfile).lexically_normal();
  const container::ImageBuild build{
      containers.client,
      dockerfile.string(),
      dockerfile.parent_path().string(),
      settings,
      settings.base,
      image.key,
      {},
      container::foreign_platform(image.architecture, machine_name())};
  return "  " + script_line(container::build_image(build, containers.variables));
}

}  // namespace

Result<DryContainer> dry_container(const EnvMachine& around, const Workplace& workplace,
                                   const matrix::ContainerSettings& settings) {
  const std::string digest = container::digest(settings);
  const auto image = workplace.containers.images.find(digest);
  if (image == workplace.containers.images.end()) {
    return fail(ErrorKind::internal, fmt::format("{} has no image", quoted(settings.base)));
  }
  const std::string variable = "image_" + digest.substr(0, 12);
  DryContainer dry;
  dry.container = container_of(around, workplace, image->second, "dry");
  dry.container.image = script_variable(variable);
  const std::string scratch = script_variable("scratch");
  dry.container.mounts.push_back({scratch, scratch, container::Access::read_write});
  dry.client_variables = workplace.containers.variables;
  const std::string find =
      fmt::format("{}=$( {} | head -n 1) || true\n", variable,
                  trim(script_line(find_command(workplace, settings, image->second))));
  dry.image_lines = find + fmt::format("if [ -z \"${}\" ]; then\n", variable) +
                    make_lines(workplace, settings, image->second) + "  " + find + "fi\n";
  return dry;
}

ports::Command in_dry_container(const DryContainer& container, const ports::Command& command) {
  ports::Command client =
      container::run_in_container(container.container, {}, command, container.client_variables);
  // The engine chooses the name: the script may run more than once.
  const auto name = std::find(client.argv.begin(), client.argv.end(), "--name");
  if (name != client.argv.end()) {
    const auto at = client.argv.erase(name, name + 2);
    client.argv.insert(at, "--rm");
  }
  return client;
}

}  // namespace pinwheel::host
