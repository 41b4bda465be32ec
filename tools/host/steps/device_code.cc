#include "host/steps/device_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "host/machine/ignored_directory.h"
#include "host/system/digest_file.h"
#include "host/system/file_source.h"
#include "host/system/files.h"
#include "host/system/open_regular.h"
#include "host/system/pending_file.h"
#include "plan/device_code.h"
#include "plan/device_code_scripts.h"
#include "plan/step_id.h"
#include "wheel/zip_reader.h"
#include "wheel/zip_writer.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

fs::path device_directory(const StepContext& context) {
  return context.attempt.scratch / kDeviceCodeName;
}

std::string device_text(const StepContext& context, const char* name) {
  return read_plain_file(device_directory(context) / name, plan::kDeviceListLimit)
      .value_or(std::string());
}

plan::DeviceUses device_uses(const StepContext& context) {
  return plan::parse_device_uses(device_text(context, plan::kDeviceUsesName));
}

plan::DeviceBuild device_build(const StepContext& context, const BuildSite& site) {
  const plan::BuildWheel* const build = plan::build_run_by(context.attempt.step->action);
  return {build->class_id, site.space.seen(kSourceName).string() + "/"};
}

/// The files of the steps that compiled device code for this one.
std::vector<plan::Output> needed_device_code(const StepContext& context) {
  std::vector<plan::Output> files;
  for (const plan::StepOutcome& need : context.attempt.needs) {
    if (!plan::compiles_device_code(need.id)) continue;
    files.insert(files.end(), need.outputs.begin(), need.outputs.end());
  }
  return files;
}

Error no_device_code(const fs::path& file, const std::string& why) {
  return {ErrorKind::check,
          fmt::format("{} is no device code of this build: {}", quoted(file.string()), why)};
}

/// Unpacks an archive, and adds its outputs to the index. Two architectures may share an output:
/// the PTX from which two cubins are made.
Done unpack_device_code(const StepContext& context, const plan::Output& packed,
                        std::string& index) {
  const fs::path file = packed.path;
  TRY(const FileDigest digest, digest_file(file));
  if (digest.sha256 != packed.sha256) return fail(no_device_code(file, "its digest differs"));
  TRY(const std::unique_ptr<FileSource> source, FileSource::open(file));
  TRY(const wheel::ZipReader archive, wheel::ZipReader::open(*source));
  const fs::path objects = device_directory(context) / plan::kDeviceObjectsName;
  for (const wheel::ZipMember& member : archive.members()) {
    if (!plan::is_device_member(member.name)) {
      return fail(no_device_code(file, fmt::format("it has a file {}", quoted(member.name))));
    }
    TRY(const std::string contents, archive.read(member));
    const fs::path target = objects / member.name;
    TRY_DONE(context.machine.files.make_directories(target.parent_path()));
    TRY_DONE(context.machine.files.write(target, contents));
    if (target.filename() == plan::kDeviceAboutName) index += contents;
  }
  return {};
}

/// The variables that start nvcc, except those that the matrix sets.
void set_launchers(const StepContext& context, const BuildSite& site, ports::Command& command) {
  const fs::path seen = site.space.seen(kDeviceCodeName);
  const std::map<std::string, std::string> launchers = {
      {"CMAKE_CUDA_COMPILER_LAUNCHER", (seen / plan::kDeviceLauncherName).string()},
      {"PYTORCH_NVCC", (seen / plan::kDeviceNvccName).string()}};
  const plan::BuildWheel* const build = plan::build_run_by(context.attempt.step->action);
  for (const auto& [name, launcher] : launchers) {
    if (!build->variables.contains(name)) command.environment[name] = launcher;
  }
  constexpr const char* kOption = "CMAKE_CUDA_COMPILER_LAUNCHER";
  if (build->variables.contains(kOption)) return;
  // CMake reads the variable when it enables the language, which is too late for libraries that a
  // project has declared before. scikit-build-core passes these options to CMake.
  std::string& options = command.environment["CMAKE_ARGS"];
  if (!options.empty()) options += ' ';
  options += fmt::format("-D{}={}", kOption, launchers.at(kOption));
}

Done write_device_programs(const StepContext& context, const std::string& mode) {
  constexpr uint32_t kProgram = 0755;
  const fs::path directory = device_directory(context);
  ports::Files& files = context.machine.files;
  TRY_DONE(files.make_directories(directory / plan::kDeviceObjectsName));
  TRY_DONE(files.make_directories(directory / "toolkits"));
  TRY_DONE(
      files.write(directory / plan::kDeviceLauncherName, plan::device_launcher_script(), kProgram));
  TRY_DONE(files.write(directory / plan::kDeviceNvccName, plan::device_nvcc_script(), kProgram));
  TRY_DONE(files.write(directory / plan::kDeviceToolName, plan::device_tool_script(), kProgram));
  return files.write(directory / plan::kDeviceModeName, mode + "\n");
}

/// The names of the stored files, in an order that is always the same.
std::vector<std::string> stored_members(const fs::path& objects) {
  std::vector<std::string> names;
  std::error_code code;
  fs::recursive_directory_iterator at(objects, code);
  for (; !code && at != fs::recursive_directory_iterator(); at.increment(code)) {
    std::error_code ignored;
    const std::string name = at->path().lexically_relative(objects).string();
    // A directory of another name is that of a killed program.
    if (at->is_regular_file(ignored) && plan::is_device_member(name)) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

/// Whether a build takes device code from the steps that it needs, stores it for another one, or
/// does neither.
enum class DeviceCodeUse { none, link, store };

DeviceCodeUse device_code_use(const StepContext& context) {
  if (std::holds_alternative<plan::CompileDeviceCode>(context.attempt.step->action)) {
    return DeviceCodeUse::store;
  }
  return needed_device_code(context).empty() ? DeviceCodeUse::none : DeviceCodeUse::link;
}

}  // namespace

Done add_device_code(const StepContext& context, const BuildSite& site, ports::Command& command) {
  const DeviceCodeUse use = device_code_use(context);
  if (use == DeviceCodeUse::none) return {};
  if (site.space.mode() != PathMode::fixed) {
    return fail(ErrorKind::environment,
                "`build.split` needs each job to see the build at the same path, but this machine "
                "permits no namespaces",
                "permit user namespaces, build in containers (`--engine`), or remove "
                "`build.split`");
  }
  const auto* const part = std::get_if<plan::CompileDeviceCode>(&context.attempt.step->action);
  TRY_DONE(write_device_programs(context,
                                 part == nullptr ? "link" : plan::device_mode(part->architecture)));
  std::string index;
  for (const plan::Output& packed : needed_device_code(context)) {
    TRY_DONE(unpack_device_code(context, packed, index));
  }
  TRY_DONE(context.machine.files.write(device_directory(context) / plan::kDeviceIndexName, index));
  set_launchers(context, site, command);
  return {};
}

Done judge_device_use(const StepContext& context, const BuildSite& site, Done ran) {
  const DeviceCodeUse use = device_code_use(context);
  if (use == DeviceCodeUse::none) return ran;
  const plan::DeviceUses uses = device_uses(context);
  const plan::DeviceBuild build = device_build(context, site);
  if (context.attempt.meter) {
    context.attempt.meter->add_hits({"device code", uses.hits.size(),
                                     uses.misses.size() + uses.made.size() + uses.alone.size()});
  }
  if (const auto* const part =
          std::get_if<plan::CompileDeviceCode>(&context.attempt.step->action)) {
    return ran ? plan::judge_device_code(uses, build, part->architecture) : ran;
  }
  if (!ran && uses.others.empty()) return ran;
  return plan::judge_linked_code(
      uses, build, plan::parse_device_index(device_text(context, plan::kDeviceIndexName)));
}

Result<plan::Output> deliver_device_code(const StepContext& context) {
  const auto& part = std::get<plan::CompileDeviceCode>(context.attempt.step->action);
  const fs::path directory =
      context.workplace.output / plan::output_directory(context.attempt.step->id);
  LocalFiles files;
  TRY_DONE(make_output_directory(files, context.workplace.output));
  TRY_DONE(files.make_directories(directory));
  const fs::path target =
      directory / plan::device_code_name(part.build.class_id, part.architecture);
  PendingFile pending(target);
  wheel::ZipWriter archive([&pending](std::string_view bytes) { return pending.write(bytes); },
                           part.build.source_date_epoch);
  const fs::path objects = device_directory(context) / plan::kDeviceObjectsName;
  for (const std::string& name : stored_members(objects)) {
    TRY(const std::string contents, read_plain_file(objects / name, plan::kDeviceCodeLimit));
    TRY_DONE(archive.add(name, contents));
  }
  TRY_DONE(archive.finish());
  TRY_DONE(pending.commit());
  TRY(const FileDigest digest, digest_file(target));
  return plan::Output{target.string(), digest.sha256, digest.size};
}

std::vector<std::string> device_code_warnings(const StepContext& context, const BuildSite& site) {
  if (device_code_use(context) != DeviceCodeUse::link) return {};
  const std::string repeated =
      plan::repeated_compilations(device_uses(context), device_build(context, site));
  return repeated.empty() ? std::vector<std::string>() : std::vector<std::string>{repeated};
}

}  // namespace pinwheel::host
