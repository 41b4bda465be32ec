#include "prepare/backend_question.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "base/digest.h"
#include "matrix/build_requires.h"
#include "project/backend_requires.h"

namespace pinwheel::prepare {
namespace {

namespace fs = std::filesystem;

/// The text of a file; nullopt if there is none.
Result<std::optional<std::string>> text_of(ports::Files& files, const fs::path& file) {
  TRY(const ports::FileStatus status, files.status(file));
  if (status.type == ports::FileType::missing) return std::nullopt;
  TRY(std::string text, files.read(file));
  return std::optional(std::move(text));
}

/// A backend may read any file; these are where requirements stand.
bool may_decide(const std::string& name) {
  constexpr std::array<std::string_view, 4> kEndings = {".py", ".toml", ".cfg", ".txt"};
  return std::ranges::any_of(kEndings,
                             [&name](std::string_view ending) { return name.ends_with(ending); });
}

/// The contents that decide what a backend answers: the files at the top of the source and of the
/// directories of a backend in it.
Result<std::string> digest_inputs(ports::Files& files, const fs::path& source,
                                  const project::BuildSystem& system) {
  std::set<fs::path> directories = {source};
  for (const std::string& path : system.backend_path) {
    directories.insert((source / path).lexically_normal());
  }
  nlohmann::json json = {system.backend, system.backend_path};
  for (const fs::path& directory : directories) {
    TRY(const std::vector<std::string> names, files.list(directory));
    for (const std::string& name : names) {
      if (!may_decide(name)) continue;
      TRY(const ports::FileStatus status, files.status(directory / name));
      if (status.type != ports::FileType::regular) continue;
      TRY(const std::string text, files.read(directory / name));
      json.push_back({name, sha256_hex(text)});
    }
  }
  return sha256_hex(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

/// What the build of a project needs: its own requirements, then those of its backend.
std::vector<std::string> needed_by(const project::Pyproject& project) {
  matrix::EnvironmentSettings own;
  own.pip = project.build_system.requires_;
  return matrix::with_build_requires(std::move(own), project::backend_requires(project)).pip;
}

}  // namespace

Result<SourceRequires> source_requires(ports::Files& files, const fs::path& source) {
  const fs::path file = source / "pyproject.toml";
  TRY(const std::optional<std::string> text, text_of(files, file));
  TRY(const std::optional<std::string> setup_py, text_of(files, source / "setup.py"));
  TRY(const std::optional<std::string> setup_cfg, text_of(files, source / "setup.cfg"));
  if (!text && !setup_py) return SourceRequires{};
  TRY(const project::Pyproject project, project::parse_pyproject(text.value_or(""), file.string()));
  SourceRequires found{needed_by(project)};
  if (project::more_requires(project, setup_py.value_or(""), setup_cfg.value_or("")) ==
      project::MoreRequires::ask) {
    TRY(std::string inputs, digest_inputs(files, source, project.build_system));
    found.question = BackendQuestion{project.build_system, std::move(inputs)};
  }
  return found;
}

}  // namespace pinwheel::prepare
