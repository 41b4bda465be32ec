#include "host/dry_run/script_ports.h"

#include <fmt/format.h>

#include <limits>

#include "base/text.h"
#include "env/commands.h"
#include "host/provision/cache_use.h"
#include "host/provision/complete_directory.h"
#include "host/provision/env_pip.h"
#include "host/provision/env_resolve.h"
#include "host/provision/interpreters.h"
#include "host/provision/toolkit.h"
#include "host/system/mount_namespace.h"
#include "toolkits/made_toolkit.h"
#include "toolkits/pypi_toolkit.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;
using Lock = std::unique_ptr<ports::FileLock>;

/// No other process uses the paths of a script.
class NoLock final : public ports::FileLock {};

/// Files in which the cache records complete directories and their users. No command reads them.
bool is_record(const fs::path& path) {
  const std::string name = path.filename().string();
  return name == kCompleteMarker || name == "complete" ||
         path.parent_path().string().ends_with(kUsesSuffix);
}

/// The same as `complete_toolkit`, in the toolkit's own prefix: the script uses it for one
/// environment.
std::string torchs_packages_lines(const Script& script, const std::string& prefix,
                                  const BaseEnvironment& base) {
  if (base.resolution.find("torch") == nullptr) return {};
  return fmt::format(
      "for part in include lib; do for from in {}/nvidia/*/$part; do "
      "[ ! -d \"$from\" ] || cp -Rs --no-clobber \"$from/.\" {}/$part/ || true; done; done\n",
      script.word(base.site_packages), script.word(prefix));
}

/// The links of `make_pypi_toolkit`.
std::string link_lines(const Script& script, const std::string& prefix) {
  return fmt::format(
      "(cd {} && ln -s lib lib64 && cd lib && for file in lib*.so.*; do "
      "[ -e \"${{file%%.so.*}}.so\" ] || ln -s \"$file\" \"${{file%%.so.*}}.so\"; "
      "done)\n",
      script.word(prefix));
}

/// Unpacks the contents of the sdist's top-level directory.
std::string unpack_line(const plan::Source& source, const std::string& archive,
                        const std::string& whole, const std::string& target) {
  if (!source.url.ends_with(".zip")) {
    return fmt::format("tar -xf {} -C {} --strip-components=1\n", archive, target);
  }
  return fmt::format("python3 -m zipfile -e {0} {1}\ncp -a {1}/*/. {2}\n", archive, whole, target);
}

/// Prints the names of the source's files. A frozen plan has none: git's files, then.
std::string list_command(const plan::Source& source) {
  if (source.files == nullptr) return "git ls-files -z --cached -- .";
  std::vector<std::string> print = {"printf", "%s\\0"};
  for (const auto& [name, digest] : source.files->digests) print.push_back(name);
  return shell_join(print);
}

/// The same snapshot as `export_source`: its files, modes 0644 and 0755, one time.
std::string export_lines(const plan::Source& source, const std::string& destination,
                         int64_t epoch) {
  return fmt::format(
             "(cd {} && {} | "
             "xargs -0 cp --parents --no-dereference --target-directory={})\n",
             shell_quote(source.directory), list_command(source), destination) +
         fmt::format(
             "find {0} -type f -perm /100 -exec chmod 0755 {{}} + -o -type f -exec chmod 0644 {{}} "
             "+\n",
             destination) +
         fmt::format("find {} -exec touch --no-dereference --date=@{} {{}} +\n", destination,
                     epoch);
}

}  // namespace

Result<std::string> ScriptFiles::read_up_to(const fs::path& path, const ByteLimit& limit) {
  if (!made(path)) return machine_.read(path, limit);
  return fail(ErrorKind::config, fmt::format("{} does not exist", quoted(path.string())));
}

Done ScriptFiles::write(const fs::path& path, std::string_view bytes, uint32_t mode) {
  if (!made(path)) return machine_.write(path, bytes, mode);
  if (is_record(path)) {
    script_.know(path);
  } else {
    script_.write(path, bytes);
    constexpr uint32_t kForOwner = 0100;
    if ((mode & kForOwner) != 0) {
      script_.add(fmt::format("chmod +x {}\n", script_.word(path.string())));
    }
  }
  return {};
}

Result<ports::FileStatus> ScriptFiles::status(const fs::path& path) {
  if (!made(path)) return machine_.status(path);
  if (!script_.has_file(path)) return ports::FileStatus{};
  return ports::FileStatus{ports::FileType::regular};
}

ports::FileType ScriptFiles::resolved_type(const fs::path& path) {
  return made(path) ? Files::resolved_type(path) : machine_.resolved_type(path);
}

Result<fs::path> ScriptFiles::without_links(const fs::path& path) {
  return made(path) ? Files::without_links(path) : machine_.without_links(path);
}

Result<std::vector<std::string>> ScriptFiles::list(const fs::path& path) {
  if (!made(path)) return machine_.list(path);
  return std::vector<std::string>();
}

Done ScriptFiles::make_directories(const fs::path& path) {
  if (!made(path)) return machine_.make_directories(path);
  script_.make_directory(path);
  return {};
}

Done ScriptFiles::remove_all(const fs::path& path) {
  if (!made(path)) return machine_.remove_all(path);
  script_.remove(path);
  return {};
}

Done ScriptFiles::rename(const fs::path& from, const fs::path& to) {
  if (!made(from) && !made(to)) return machine_.rename(from, to);
  script_.add(fmt::format("mv {} {}\n", script_.word(from.string()), script_.word(to.string())));
  return {};
}

Result<uint64_t> ScriptFiles::free_bytes(const fs::path& path) {
  if (!made(path)) return machine_.free_bytes(path);
  return std::numeric_limits<uint64_t>::max();
}

Result<Lock> ScriptFiles::lock(const fs::path& path, ports::IfLocked if_locked) {
  if (!made(path)) return machine_.lock(path, if_locked);
  return Lock(std::make_unique<NoLock>());
}

Result<Lock> ScriptFiles::share_lock(const fs::path& path) {
  if (!made(path)) return machine_.share_lock(path);
  return Lock(std::make_unique<NoLock>());
}

Result<ports::Captured> ScriptProcess::capture(const ports::Command& command) {
  if (!script_.makes(command)) return machine_.capture(command);
  record(command);
  return ports::Captured{};
}

Result<ports::Exit> ScriptProcess::log(const ports::Command& command, const fs::path& /*log*/) {
  record(command);
  return ports::Exit{};
}

void ScriptProcess::record(const ports::Command& command) {
  const ports::Command moved = script_.moved(command);
  script_.add(script_line(container_ == nullptr ? in_mount_namespace(moved)
                                                : in_dry_container(*container_, moved)));
}

Result<env::Toolkit> ScriptSupplier::toolkit(const EnvMachine& machine, const env::Request& request,
                                             const BaseEnvironment& base,
                                             const fs::path& /*completed*/) {
  if (toolkits::toolkit_source(request, list_toolkits(machine, request)) !=
      toolkits::ToolkitSource::pypi) {
    return find_toolkit(machine, request);
  }
  TRY(const env::Request packages, toolkits::pypi_toolkit_request(request));
  TRY(const env::Resolution resolution, load_resolution(machine, env::digest(packages)));
  const std::string id = toolkits::pypi_toolkit_id(env::toolkit_name(request.toolkit), resolution);
  const fs::path directory = machine.cache / "toolkits" / id;
  script_.move(directory, script_variable("scratch") + "/toolkits/" + id);
  const std::string release = toolkits::pypi_release(resolution);
  env::Toolkit toolkit =
      env::cuda_toolkit(toolkits::pypi_prefix(directory.string(), release), release);
  const fs::path file = directory / "pinwheel-requirements.txt";
  if (script_.has_file(file)) return toolkit;
  TRY(const env::Interpreter interpreter, interpreter_for(machine, request.python));
  TRY(const env::Pip pip, own_pip(machine, interpreter));
  TRY_DONE(machine.files.write(file, env::requirements_text(resolution, env::TorchPart::with)));
  TRY_DONE(run_pip(machine, env::install_prefix(pip, file.string(), directory.string()),
                   "installing the toolkit"));
  script_.add(torchs_packages_lines(script_, toolkit.prefix, base));
  script_.add(link_lines(script_, toolkit.prefix));
  return toolkit;
}

Done ScriptSupplier::source(const plan::Source& source, const fs::path& destination,
                            int64_t epoch) {
  const std::string target = script_.word(destination.string());
  if (source.requirement.empty()) {
    script_.add(export_lines(source, target, epoch));
    return {};
  }
  const fs::path place = destination.parent_path() / "sdist";
  script_.make_directory(place);
  const std::string archive = script_.word((place / "archive").string());
  script_.add(
      fmt::format("curl --fail --location --output {} {}\n", archive, shell_quote(source.url)) +
      fmt::format("echo {} {} | sha256sum --check\n", source.archive_sha256, archive) +
      unpack_line(source, archive, script_.word((place / "whole").string()), target));
  return {};
}

std::error_code ScriptSupplier::link(const fs::path& directory, const Links& links) {
  script_.make_directory(directory);
  std::string same;
  for (const auto& [name, target] : links) {
    const std::string word = script_.word(target.string());
    if (target.filename() == name) {
      same += " " + word;
    } else {
      script_.add(fmt::format("ln -s {} {}\n", word, script_.word((directory / name).string())));
    }
  }
  if (!same.empty()) {
    script_.add(fmt::format("ln -s -t {}{}\n", script_.word(directory.string()), same));
  }
  return {};
}

}  // namespace pinwheel::host
