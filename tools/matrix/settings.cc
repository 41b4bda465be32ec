#include "matrix/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "base/text.h"
#include "matrix/axis_value.h"
#include "matrix/build_requires.h"
#include "matrix/config_error.h"
#include "matrix/decode.h"
#include "matrix/family.h"
#include "matrix/gpu_architecture.h"
#include "matrix/merge.h"
#include "matrix/schema.h"
#include "matrix/secret_name.h"
#include "matrix/template.h"

namespace pinwheel::matrix {
namespace {

/// Reads values from a merged tree for one variant and expands their templates.
class Reader {
 public:
  Reader(const Matrix& matrix, const Variant& variant) : variant_(variant), command_(variant) {
    // In commands, `{package}` is the copy of the source, and not the axis of a family.
    if (matrix.family.empty()) return;
    std::erase_if(command_.axes, [](const auto& axis) { return axis.first == kPackageAxis; });
  }

  Result<std::string> text(const Node& node,
                           Placeholders placeholders = Placeholders::variant) const {
    const bool plan = placeholders == Placeholders::variant_and_plan;
    return expand_template(node.scalar, plan ? command_ : variant_, node.at, placeholders);
  }

  /// The same for a value whose format is in the schema: it is checked after its placeholders are
  /// filled in.
  Result<std::string> formed(const Node& node, Format format) const {
    TRY(std::string one, text(node));
    if (has_format(format, one)) return one;
    return fail(config_error(fmt::format("{} must be {}, and {} is not", quoted(node.scalar),
                                         describe(format), quoted(one)),
                             node.at));
  }

  /// The variant's value for a key; "" when there is none.
  Result<std::string> picked(const Node& mapping, std::string_view key,
                             Format format = Format::scalar) const {
    const Node* const node = pick(mapping.find(key), variant_);
    return node == nullptr ? Result<std::string>("") : formed(*node, format);
  }

  /// The list stored under a key, of that format; empty by default.
  Result<std::vector<std::string>> formed_list(const Node& mapping, std::string_view key,
                                               Format format) const {
    std::vector<std::string> texts;
    const Node* const node = mapping.find(key);
    if (node == nullptr) return texts;
    for (const Node& item : node->items) {
      TRY(std::string one, formed(item, format));
      texts.push_back(std::move(one));
    }
    return texts;
  }

  /// The list stored under a key; empty by default.
  Result<std::vector<std::string>> list(const Node& mapping, std::string_view key,
                                        Placeholders placeholders = Placeholders::variant) const {
    std::vector<std::string> texts;
    const Node* const node = mapping.find(key);
    if (node == nullptr) return texts;
    for (const Node& item : node->items) {
      TRY(std::string one, text(item, placeholders));
      texts.push_back(std::move(one));
    }
    return texts;
  }

  /// The mapping stored under a key; empty by default.
  Result<std::map<std::string, std::string>> mapping(const Node& node, std::string_view key) const {
    std::map<std::string, std::string> texts;
    const Node* const values = node.find(key);
    if (values == nullptr) return texts;
    for (const Node::Member& member : values->members) {
      TRY(texts[member.key], text(member.value));
    }
    return texts;
  }

  const Variant& variant() const { return variant_; }

 private:
  const Variant& variant_;
  Variant command_;  ///< for the placeholders of commands
};

Result<ContainerSettings> read_container(const Node& node, const Reader& reader) {
  ContainerSettings container;
  TRY(container.dockerfile, reader.picked(node, "dockerfile"));
  TRY(container.base, reader.picked(node, "base", Format::image));
  TRY(container.target, reader.picked(node, "target"));
  TRY(container.arguments, reader.mapping(node, "arguments"));
  return container;
}

Result<std::vector<std::pair<std::string, std::string>>> read_mirrors(const Node& environment,
                                                                      const Reader& reader) {
  std::vector<std::pair<std::string, std::string>> mirrors;
  const Node* const node = environment.find("mirrors");
  if (node == nullptr) return mirrors;
  for (const Node::Member& member : node->members) {
    TRY(std::string image, reader.text(member.value));
    mirrors.emplace_back(member.key, std::move(image));
  }
  return mirrors;
}

/// The names of the secrets without duplicates, which overrides may repeat.
Result<std::vector<std::string>> read_secrets(const Node& environment, const Reader& reader) {
  std::vector<std::string> names;
  const Node* const node = environment.find("secrets");
  if (node == nullptr) return names;
  const Node* const variables = environment.find("variables");
  for (const Node& item : node->items) {
    TRY(std::string name, reader.text(item));
    std::optional<std::string> problem = secret_name_problem(name);
    if (variables != nullptr && variables->find(name) != nullptr) {
      problem = "has a value in `environment.variables`, which is not secret";
    }
    if (problem) {
      return fail(config_error(fmt::format("the secret {} {}", quoted(name), *problem), item.at,
                               "name a variable that contains only the secret"));
    }
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

/// Toolkit parts by name, or whole packages by requirements, which contain a dash.
Result<std::vector<std::string>> read_toolkit_packages(const Node& toolkit, const Reader& reader) {
  std::set<std::string> packages;
  const Node* const list = toolkit.find("pypi");
  for (const Node& item : list->items) {
    TRY(const std::string name, reader.text(item));
    const bool known = std::find(kCudaParts.begin(), kCudaParts.end(), name) != kCudaParts.end();
    if (!known && name.find('-') == std::string::npos) {
      const std::string hint = suggest(name, {kCudaParts.begin(), kCudaParts.end()});
      return fail(config_error(
          fmt::format("PyPI's CUDA toolkit has no part {}", quoted(name)), item.at,
          hint.empty() ? "name a package of PyPI instead, such as `nvidia-cudnn-cu13`" : hint));
    }
    packages.insert(name);
  }
  return std::vector<std::string>(packages.begin(), packages.end());
}

CompilerCache compiler_cache_named(const std::string& name) {
  if (name == "ccache") return CompilerCache::ccache;
  return name == "sccache" ? CompilerCache::sccache : CompilerCache::none;
}

Result<EnvironmentSettings> read_environment(const Node& node, const Reader& reader) {
  EnvironmentSettings environment;
  if (const Node* const container = node.find("container")) {
    TRY(environment.container, read_container(*container, reader));
  }
  if (const Node* const conda = node.find("conda")) {
    TRY(environment.conda.channels, reader.list(*conda, "channels"));
    TRY(environment.conda.packages, reader.list(*conda, "packages"));
    TRY(environment.conda.toolkit, reader.list(*conda, "toolkit"));
  }
  if (const Node* const python = node.find("python"); python && python->scalar == "auto") {
    environment.python = PythonFrom::automatic;
  }
  TRY(environment.tools, reader.formed_list(node, "tools", Format::dependency));
  TRY(environment.pip, reader.formed_list(node, "pip", Format::dependency));
  if (const Node* const torch = node.find("torch")) {
    TRY(environment.torch.spec, reader.picked(*torch, "spec", Format::torch_spec));
    TRY(environment.torch.index, reader.picked(*torch, "index", Format::url));
  }
  if (const Node* const toolkit = node.find("toolkit")) {
    if (toolkit->type == Node::Type::mapping) {
      environment.toolkit = ToolkitFrom::pypi;
      TRY(environment.toolkit_packages, read_toolkit_packages(*toolkit, reader));
    }
    if (toolkit->scalar == "path") environment.toolkit = ToolkitFrom::path;
    if (toolkit->scalar == "pypi") environment.toolkit = ToolkitFrom::pypi;
    if (toolkit->scalar == "conda") environment.toolkit = ToolkitFrom::conda;
    if (toolkit->scalar == "container") environment.toolkit = ToolkitFrom::container;
  }
  if (const Node* const cache = node.find("compiler-cache")) {
    environment.compiler_cache = compiler_cache_named(cache->scalar);
  }
  if (const Node* const needed = node.find("build-requires"); needed && needed->scalar == "none") {
    environment.build_requires = BuildRequires::none;
  }
  TRY(environment.mirrors, read_mirrors(node, reader));
  TRY(environment.variables, reader.mapping(node, "variables"));
  TRY(environment.secrets, read_secrets(node, reader));
  return environment;
}

/// The schema has checked the formats, so durations and sizes parse.
Retry read_retry(const Node& node) {
  Retry retry;
  if (const Node* const transient = node.find("transient")) {
    retry.transient = std::stoi(transient->scalar);
  }
  if (const Node* const backoff = node.find("backoff")) {
    const std::string_view text = backoff->scalar;
    const size_t dots = text.find("..");
    retry.backoff_min = parse_duration(text.substr(0, dots)).value_or(retry.backoff_min);
    retry.backoff_max = parse_duration(text.substr(dots + 2)).value_or(retry.backoff_max);
  }
  return retry;
}

std::chrono::milliseconds duration_or(const Node& mapping, std::string_view key,
                                      std::chrono::milliseconds fallback) {
  const Node* const node = mapping.find(key);
  return node == nullptr ? fallback : parse_duration(node->scalar).value_or(fallback);
}

Result<RepairSettings> read_repair(const Node& node, const Reader& reader) {
  const Node* const given = node.find("repair");
  if (given == nullptr || (given->type == Node::Type::scalar && given->scalar == "auto")) {
    return RepairSettings{};
  }
  if (given->type != Node::Type::scalar) {
    RepairSettings repair{RepairMode::command};
    TRY(repair.command, reader.list(node, "repair", Placeholders::variant_and_plan));
    return repair;
  }
  if (given->scalar == "none") return RepairSettings{RepairMode::none};
  return fail(config_error("`build.repair` cannot be " + quoted(given->scalar), given->at,
                           "expected `auto`, `none` or a command as a list"));
}

/// Whether the build takes architectures: those of a GPU or another device; without the axis,
/// CUDA's.
bool takes_architectures(const Variant& variant) {
  return variant.get("compute") != "cpu";
}

/// The architectures of the variant's family; empty if its GPUs have none.
Result<std::vector<std::string>> read_arch_list(const Node& build, const Reader& reader) {
  std::vector<std::string> entries;
  const Node* const node = build.find("arch-list");
  const Variant& variant = reader.variant();
  if (node == nullptr || !takes_architectures(variant)) return entries;
  for (const Node& item : node->items) {
    TRY(std::string entry, reader.text(item));
    const Done known = check_architecture(entry, split_compute(variant.get("compute")).family);
    if (!known) {
      return fail(config_error(known.error().message, item.at, known.error().hint));
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

CheckpointSettings read_checkpoint(const Node& node) {
  CheckpointSettings checkpoint;
  checkpoint.every = duration_or(node, "every", checkpoint.every);
  checkpoint.before = duration_or(node, "before", checkpoint.before);
  return checkpoint;
}

/// Only nvcc compiles each architecture by itself.
Result<BuildSplit> read_split(const Node& given, const BuildSettings& settings,
                              const Reader& reader) {
  if (given.scalar == "none") return BuildSplit::none;
  const Variant& variant = reader.variant();
  const std::string family = split_compute(variant.get("compute")).family;
  if (!family.empty() && family != "cuda") {
    return fail(
        config_error(fmt::format("`build.split` needs device code of CUDA, but {} is for {}",
                                 quoted(variant.id), quoted(variant.get("compute"))),
                     given.at,
                     "set it for some variants: `overrides: [{when: {compute: cuda/*}, "
                     "build: {split: architectures}}]`"));
  }
  const std::vector<std::string>& entries = settings.arch_list;
  const std::set<std::string> distinct(entries.begin(), entries.end());
  if (distinct.size() > 1) return BuildSplit::architectures;
  return fail(config_error(
      fmt::format("`build.split` needs several architectures, but `build.arch-list` of {} has {}",
                  quoted(variant.id), distinct.empty() ? "none" : "one"),
      given.at, "add architectures to `build.arch-list`, or remove `build.split`"));
}

Result<BuildSettings> read_build(const Node& node, const Reader& reader) {
  BuildSettings build;
  TRY(build.command, reader.list(node, "command", Placeholders::variant_and_plan));
  TRY(build.arch_list, read_arch_list(node, reader));
  TRY(build.with, reader.picked(node, "with"));
  TRY(build.repair, read_repair(node, reader));
  TRY(build.external, reader.list(node, "external"));
  const Node* const network = node.find("network");
  if (network != nullptr && network->scalar == "true") build.network = BuildNetwork::whole;
  build.timeout = duration_or(node, "timeout", build.timeout);
  if (const Node* const saves = node.find("checkpoint")) build.checkpoint = read_checkpoint(*saves);
  if (const Node* const parts = node.find("split")) {
    TRY(build.split, read_split(*parts, build, reader));
  }
  if (const Node* const memory = node.find("memory-per-job")) {
    build.memory_per_job = parse_bytes(memory->scalar).value_or(build.memory_per_job);
  }
  if (const Node* const retry = node.find("retry")) build.retry = read_retry(*retry);
  return build;
}

Result<std::vector<Check>> read_checks(const Node& mapping, std::string_view key,
                                       const Reader& reader) {
  std::vector<Check> checks;
  const Node* const node = mapping.find(key);
  if (node == nullptr) return checks;
  for (const Node& item : node->items) {
    if (item.type == Node::Type::scalar) {
      checks.push_back({item.scalar, {}});
      continue;
    }
    const Node::Member& member = item.members[0];
    Check check{member.key, {}};
    if (member.value.type == Node::Type::sequence) {
      TRY(check.arguments, reader.list(item, member.key));
    } else {
      TRY(std::string argument, reader.text(member.value));
      check.arguments.push_back(std::move(argument));
    }
    checks.push_back(std::move(check));
  }
  return checks;
}

Result<CheckSettings> read_check_settings(const Node& node, const Reader& reader) {
  CheckSettings checks;
  TRY(checks.before, read_checks(node, "before", reader));
  TRY(checks.after, read_checks(node, "after", reader));
  TRY(checks.accept, reader.list(node, "accept"));
  for (const std::string& rule : checks.accept) {
    const bool named = std::any_of(checks.after.begin(), checks.after.end(),
                                   [&rule](const Check& check) { return check.rule == rule; });
    if (!named) continue;
    return fail(config_error("`checks` both requires and accepts " + quoted(rule),
                             node.find("accept")->at, "keep it in `after` or in `accept`"));
  }
  return checks;
}

Result<TestImages> read_test_images(const Node& node, const Reader& reader) {
  TestImages images;
  TRY(images.names, reader.formed_list(node, "images", Format::image));
  TRY(images.dockerfile, reader.picked(node, "dockerfile"));
  TRY(images.arguments, reader.mapping(node, "arguments"));
  const Node* const python = node.find("python");
  if (python == nullptr || python->scalar != "provided") return images;
  images.python = TestPython::provided;
  if (!images.dockerfile.empty() || images.names.empty()) return images;
  return fail(config_error("`test.python: provided` needs a Dockerfile that provides the Python",
                           python->at, "set `test.dockerfile`, e.g. to `docker/test.Dockerfile`"));
}

Result<TestSettings> read_test(const Node& node, const Reader& reader) {
  TestSettings test;
  if (const Node* const environment = node.find("environment");
      environment && environment->scalar == "build") {
    test.environment = TestEnvironment::build;
  }
  TRY(test.pip, reader.formed_list(node, "pip", Format::dependency));
  TRY(test.command, reader.list(node, "command", Placeholders::variant_and_plan));
  TRY(const std::string hardware, reader.picked(node, "hardware"));
  if (!hardware.empty() && hardware != "none") test.hardware = Hardware::gpu;
  if (hardware.starts_with('/')) test.device = hardware;
  TRY(test.without_gpu, reader.list(node, "without-gpu", Placeholders::variant_and_plan));
  test.timeout = duration_or(node, "timeout", test.timeout);
  TRY(test.images, read_test_images(node, reader));
  return test;
}

/// Adds the settings that the file leaves to the project.
Settings with_defaults(Settings settings, const Matrix& matrix, const Variant& variant) {
  std::vector<std::string> needed;
  if (settings.environment.build_requires == BuildRequires::automatic) {
    const auto own = matrix.build_requires.find(package_of(matrix, variant).name);
    if (own != matrix.build_requires.end()) needed = own->second;
    const auto answer = matrix.backend_answers.find(variant.id);
    if (answer != matrix.backend_answers.end()) {
      needed.insert(needed.end(), answer->second.texts.begin(), answer->second.texts.end());
    }
  }
  const bool own_command = !settings.build.command.empty();
  if (!own_command) settings.build.command = default_build_command();
  // The sdist is built by the same frontend, whatever builds the wheel.
  if (!own_command || package_of(matrix, variant).sdist) needed.emplace_back(kDefaultFrontend);
  settings.environment = with_build_requires(std::move(settings.environment), needed);
  return settings;
}

}  // namespace

Result<EnvironmentSettings> own_environment(const Matrix& matrix, const Variant& variant) {
  const Node sections = sections_for(matrix, variant);
  const Node* const node = sections.find("environment");
  return node == nullptr ? Result<EnvironmentSettings>()
                         : read_environment(*node, Reader(matrix, variant));
}

Result<Settings> settings_for(const Matrix& matrix, const Variant& variant) {
  const Node sections = sections_for(matrix, variant);
  const Reader reader(matrix, variant);
  Settings settings;
  if (const Node* const node = sections.find("environment")) {
    TRY(settings.environment, read_environment(*node, reader));
  }
  if (const Node* const node = sections.find("build")) {
    TRY(settings.build, read_build(*node, reader));
  }
  if (const Node* const node = sections.find("checks")) {
    TRY(settings.checks, read_check_settings(*node, reader));
  }
  if (const Node* const node = sections.find("test")) {
    TRY(settings.test, read_test(*node, reader));
  }
  return with_defaults(std::move(settings), matrix, variant);
}

}  // namespace pinwheel::matrix
