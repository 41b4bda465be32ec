#include "cli/workplace.h"

#include <unistd.h>

#include "base/text.h"
#include "host/machine/fixed_path.h"
#include "host/system/files.h"
#include "host/system/process.h"

extern char** environ;

namespace pinwheel::cli {

namespace fs = std::filesystem;

Done make_ignored_directory(ports::Files& files, const fs::path& directory) {
  TRY_DONE(files.make_directories(directory));
  TRY(const ports::FileStatus status, files.status(directory / ".gitignore"));
  if (status.type != ports::FileType::missing) return {};
  return files.write(directory / ".gitignore", "*\n");
}

std::map<std::string, std::string> user_variables() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

fs::path unnamed_files_directory(const std::map<std::string, std::string>& variables) {
  const std::string named = value_at(variables, "TMPDIR");
  return named.empty() ? fs::path("/var/tmp") : fs::path(named);
}

Result<fs::path> cache_directory(const std::map<std::string, std::string>& variables) {
  const std::string named = value_at(variables, "PINWHEEL_CACHE_DIR");
  if (!named.empty()) return fs::absolute(named).lexically_normal();
  const std::string xdg = value_at(variables, "XDG_CACHE_HOME");
  if (!xdg.empty()) return fs::path(xdg) / "pinwheel";
  const std::string home = value_at(variables, "HOME");
  if (home.empty()) {
    return fail(ErrorKind::environment, "there is no home directory for the cache",
                "set `HOME` or `XDG_CACHE_HOME`");
  }
  return fs::path(home) / ".cache" / "pinwheel";
}

Result<host::Workplace> make_workplace(const GlobalOptions& global, const Loaded& loaded,
                                       env::Engine engine) {
  host::LocalFiles files;
  host::Workplace workplace;
  workplace.engine = engine;
  workplace.variables = user_variables();
  TRY(workplace.cache, cache_directory(workplace.variables));
  workplace.state = fs::absolute(global.state_dir).lexically_normal();
  workplace.output = fs::absolute(global.output_dir).lexically_normal();
  workplace.matrix_directory = fs::absolute(loaded.matrix.directory).lexically_normal();
  TRY_DONE(make_ignored_directory(files, workplace.state));
  return workplace;
}

host::Workplace with_path_mode(host::Workplace workplace) {
  if (env::uses_containers(workplace.engine)) {
    workplace.paths = host::PathMode::fixed;
    return workplace;
  }
  host::ChildProcesses process;
  workplace.paths = host::probe_path_mode(process, workplace.state);
  return workplace;
}

}  // namespace pinwheel::cli
