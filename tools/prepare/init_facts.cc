#include "prepare/init_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

#include "base/text.h"
#include "host/torch/torch_exports.h"
#include "pep/version.h"
#include "prepare/host.h"
#include "wheel/metadata.h"

namespace pinwheel::prepare {
namespace {

namespace fs = std::filesystem;

/// A larger source is generated and irrelevant.
constexpr uint64_t kLargestSource = 2 << 20;

/// Files that are read by name, in any directory.
constexpr std::string_view kCMake = "CMakeLists.txt";
constexpr std::string_view kMeson = "meson.build";
constexpr std::string_view kWorkflows = ".github/workflows/";

/// Most of these files are read whole. A script that is searched for words has a lower limit.
const ByteLimit& limit_of(const std::string& name) {
  const std::string_view file = last_part(name);
  const bool script = file.ends_with(".py") || file == "setup.cfg" || file == kCMake ||
                      file.ends_with(".cmake") || file == kMeson;
  return script ? limits::kBuildScript : limits::kProjectFile;
}

/// The text of a file; nullopt if there is none. A file that cannot be read is listed as unread.
std::optional<std::string> text_of(ports::Files& files, const fs::path& directory,
                                   const std::string& name, init::ProjectFacts& facts) {
  const Result<ports::FileStatus> status = files.status(directory / name);
  if (!status || status->type == ports::FileType::missing) return std::nullopt;
  Result<std::string> text = files.read(directory / name, limit_of(name));
  if (text) return *std::move(text);
  facts.unread.push_back({quoted(name), text.error().message});
  return std::nullopt;
}

/// The value of a reader. An error is listed as unread.
template <class T>
T value_or_unread(Result<T> read, const std::string& name, init::ProjectFacts& facts) {
  if (read) return *std::move(read);
  facts.unread.push_back({quoted(name), read.error().message});
  return T{};
}

Done read_pyproject(const std::string& text, const fs::path& directory, init::ProjectFacts& facts) {
  const std::string file = (directory / "pyproject.toml").string();
  TRY(facts.pyproject, project::parse_pyproject(text, file));
  TRY(facts.tools, project::parse_tool_tables(text, file));
  TRY(facts.cibuildwheel, project::parse_cibuildwheel(text, "pyproject.toml"));
  return {};
}

void read_cargo(ports::Files& files, const fs::path& directory, init::ProjectFacts& facts) {
  std::vector<std::string> names = {"Cargo.toml"};
  const std::string& manifest = facts.tools.maturin_manifest;
  if (!manifest.empty() && manifest != names[0]) names.insert(names.begin(), manifest);
  for (const std::string& name : names) {
    const auto text = text_of(files, directory, name, facts);
    if (!text) continue;
    facts.cargo.push_back(value_or_unread(
        project::parse_cargo_manifest(*text, name, facts.tools.maturin_features), name, facts));
  }
}

void read_package_info(const std::string& text, init::ProjectFacts& facts) {
  const Result<wheel::Metadata> metadata = wheel::parse_metadata(text);
  if (!metadata) {
    facts.unread.push_back({"`PKG-INFO`", metadata.error().message});
    return;
  }
  facts.package_info = {metadata->name(), metadata->version(),
                        metadata->block.get("Requires-Python").value_or(""),
                        metadata->requires_dist(), metadata->block.all("Classifier")};
  std::erase_if(facts.package_info.requires_dist, wheel::is_of_extra);
}

/// Directories that contain no sources of the project.
bool is_unrelated(std::string_view path) {
  static constexpr std::array<std::string_view, 9> kUnrelated = {
      "extern", "external", "subprojects", "node_modules", "build", "dist", "venv", "docker", "ci"};
  static constexpr std::array<std::string_view, 6> kBeginnings = {"test",   "doc",   "example",
                                                                  "vendor", "third", "bench"};
  const std::vector<std::string> parts = split(path, '/');
  return std::any_of(parts.begin(), parts.end() - 1, [](const std::string& part) {
    const std::string name = to_lower(part);
    return name.starts_with('.') || name.ends_with(".egg-info") ||
           std::ranges::find(kUnrelated, name) != kUnrelated.end() ||
           std::ranges::any_of(kBeginnings,
                               [&](const auto& begin) { return name.starts_with(begin); });
  });
}

/// Visits every file below a directory, except in hidden directories other than `.github`.
Done walk(ports::Files& files, const fs::path& root, const std::string& below,
          std::vector<std::string>& found) {
  TRY(const std::vector<std::string> names, files.list(root / below));
  for (const std::string& name : names) {
    const std::string path = below.empty() ? name : below + "/" + name;
    TRY(const ports::FileStatus status, files.status(root / path));
    const bool hidden = name.starts_with('.') && name != ".github";
    if (status.type == ports::FileType::regular) found.push_back(path);
    if (status.type == ports::FileType::directory && !hidden && !is_unrelated(path + "/")) {
      TRY_DONE(walk(files, root, path, found));
    }
  }
  return {};
}

Result<std::vector<std::string>> list_project(ports::Files& files, ports::Git& git,
                                              const fs::path& directory) {
  std::vector<std::string> found;
  if (const Result<ports::GitFiles> files_of_git = git.files(directory)) {
    std::merge(files_of_git->tracked.begin(), files_of_git->tracked.end(),
               files_of_git->untracked.begin(), files_of_git->untracked.end(),
               std::back_inserter(found));
  }
  if (!found.empty()) return found;
  TRY_DONE(walk(files, directory, "", found));
  return found;
}

void read_workflow(const std::string& text, const std::string& path, init::ProjectFacts& facts) {
  const project::Workflow workflow =
      value_or_unread(project::parse_workflow(text, path), path, facts);
  facts.workflow = project::merged(std::move(facts.workflow), workflow);
  facts.cibuildwheel =
      project::with_variables(std::move(facts.cibuildwheel), workflow.cibuildwheel, path);
}

bool is_workflow(const std::string& path) {
  return path.starts_with(kWorkflows) && (path.ends_with(".yml") || path.ends_with(".yaml"));
}

/// The definitions on CMake's command line in every build: from the table of scikit-build-core, and
/// from cibuildwheel's `config-settings`.
std::map<std::string, std::string> cmake_defines(const init::ProjectFacts& facts) {
  constexpr std::string_view kDefine = "cmake.define.";
  std::map<std::string, std::string> defines = facts.tools.scikit_build.base.defines;
  for (const project::ScikitBuildOverride& override : facts.tools.scikit_build.overrides) {
    if (override.replaces_defines) defines.clear();
    for (const auto& [key, value] : override.settings) {
      if (key.starts_with(kDefine)) defines.erase(key.substr(kDefine.size()));
    }
  }
  const auto settings = facts.cibuildwheel.options.find("config-settings");
  if (settings == facts.cibuildwheel.options.end()) return defines;
  for (const auto& [key, value] : settings->second.entries) {
    if (key.starts_with(kDefine)) defines[key.substr(kDefine.size())] = value;
  }
  return defines;
}

/// Reads a file of the project, if its name is a relevant one.
void read_one(ports::Files& files, const fs::path& directory, const std::string& path,
              init::ProjectFacts& facts) {
  const bool cmake = last_part(path) == kCMake || path.ends_with(".cmake");
  const bool build_file = cmake || last_part(path) == kMeson;
  const bool source = project::is_source_name(path);
  if (is_workflow(path)) {
    if (const auto text = text_of(files, directory, path, facts)) read_workflow(*text, path, facts);
    return;
  }
  if ((!build_file && !source) || is_unrelated(path)) return;
  const Result<ports::FileStatus> status = files.status(directory / path);
  if (!status || status->type != ports::FileType::regular || status->size > kLargestSource) return;
  const auto text = text_of(files, directory, path, facts);
  if (!text) return;
  if (source) {
    facts.sources.push_back(project::scan_source(path, *text));
  } else if (cmake && facts.cmake) {
    facts.cmake = project::merged(*std::move(facts.cmake),
                                  project::parse_cmake_lists(*text, cmake_defines(facts)));
  } else if (last_part(path) == kMeson && facts.meson) {
    facts.meson = project::merged(*std::move(facts.meson), project::parse_meson_build(*text));
  }
}

/// Removes includes that name a file of the project itself or of the code that it vendors.
void drop_own_headers(const std::vector<std::string>& paths, init::ProjectFacts& facts) {
  // Reversed and sorted, the paths that end with a header begin with it and are adjacent.
  std::vector<std::string> turned;
  turned.reserve(paths.size());
  for (const std::string& path : paths) turned.emplace_back(path.rbegin(), path.rend());
  std::ranges::sort(turned);
  const auto is_own = [&turned](const std::string& header) {
    const std::string end(header.rbegin(), header.rend());
    if (std::ranges::binary_search(turned, end)) return true;
    const auto found = std::ranges::lower_bound(turned, end + "/");
    return found != turned.end() && found->starts_with(end + "/");
  };
  for (project::ScannedSource& source : facts.sources) std::erase_if(source.includes, is_own);
}

/// Reads the tags of the repository that tracks the project. A scratch directory and an unpacked
/// sdist may be below another project's.
void read_tags(ports::Git& git, const fs::path& directory, init::ProjectFacts& facts) {
  Result<ports::GitFacts> repository = git.facts(directory, ports::WorkTree::ignore);
  if (repository && repository->tracks_directory) facts.tags = std::move(repository->all_tags);
}

/// "3.13t" of "cp313t".
std::string python_of(const std::string& tag) {
  return tag.starts_with("cp3") ? "3." + tag.substr(3) : tag;
}

/// The version in the first of its files that exists.
std::optional<project::WrittenVersion> read_written_version(
    ports::Files& files, const fs::path& directory,
    const std::optional<project::VersionPlace>& place) {
  if (!place) return std::nullopt;
  for (const std::string& file : place->files) {
    const Result<ports::FileStatus> status = files.status(directory / file);
    if (!status || status->type != ports::FileType::regular || status->size > kLargestSource) {
      continue;
    }
    const Result<std::string> text = files.read(directory / file);
    const auto version = text ? project::version_in(*text, *place) : std::nullopt;
    if (!version) return std::nullopt;
    return project::WrittenVersion{*version, file};
  }
  return std::nullopt;
}

}  // namespace

Result<init::ProjectFacts> read_build_files(const Host& host, const fs::path& directory) {
  TRY(const ports::FileStatus status, host.files.status(directory / "."));
  if (status.type != ports::FileType::directory) {
    return fail(ErrorKind::usage, fmt::format("{} is not a directory", quoted(directory.string())),
                "pass the directory of a Python project");
  }
  init::ProjectFacts facts;
  facts.directory = host.at(directory / ".").parent_path().filename();
  TRY(facts.top_level, host.files.list(directory));
  if (const auto text = text_of(host.files, directory, "pyproject.toml", facts)) {
    TRY_DONE(read_pyproject(*text, directory, facts));
  }
  if (const auto text = text_of(host.files, directory, "setup.cfg", facts)) {
    facts.setup_cfg = project::parse_setup_cfg(*text);
  }
  if (const auto text = text_of(host.files, directory, "setup.py", facts)) {
    facts.setup_py = project::parse_setup_py(*text);
  }
  if (!facts.pyproject && !facts.setup_py && !facts.setup_cfg) {
    return fail(ErrorKind::usage,
                fmt::format("{} contains no pyproject.toml, setup.py or setup.cfg",
                            quoted(directory.string())),
                "pass the directory of a Python project, or `--from NAME==VERSION` for an sdist on "
                "the index");
  }
  const fs::path cmake = fs::path(facts.tools.scikit_build.base.source_dir) / kCMake;
  if (const auto text = text_of(host.files, directory, cmake.lexically_normal().string(), facts)) {
    facts.cmake = project::parse_cmake_lists(*text, cmake_defines(facts));
  }
  if (const auto text = text_of(host.files, directory, std::string(kMeson), facts)) {
    facts.meson = project::parse_meson_build(*text);
  }
  if (const auto text = text_of(host.files, directory, "PKG-INFO", facts)) {
    read_package_info(*text, facts);
  }
  read_cargo(host.files, directory, facts);
  facts.written_version = read_written_version(host.files, directory, facts.tools.version_place);
  return facts;
}

Result<init::ProjectFacts> read_project(const Host& host, const fs::path& directory) {
  TRY(init::ProjectFacts facts, read_build_files(host, directory));
  TRY(const std::vector<std::string> paths, list_project(host.files, host.git, directory));
  for (const std::string& path : paths) read_one(host.files, directory, path, facts);
  drop_own_headers(paths, facts);
  read_tags(host.git, directory, facts);
  return facts;
}

Result<std::vector<init::KnownTorch>> known_torches(
    const std::map<std::string, std::string>& variables, ports::Files& files) {
  TRY(const exports::Table table, host::torch_exports(variables, files));
  std::map<std::string, std::set<std::string>> pythons;
  for (const exports::Record& record : table.libraries()) {
    const exports::Build& build = table.builds()[record.build];
    if (record.python.empty() || build.arch != "x86_64") continue;
    const std::vector<std::string> parts = split(build.version, '.');
    if (parts.size() >= 2) pythons[parts[0] + "." + parts[1]].insert(python_of(record.python));
  }
  std::vector<init::KnownTorch> known;
  known.reserve(pythons.size());
  for (const auto& [release, each] : pythons)
    known.push_back({release, {each.begin(), each.end()}});
  std::ranges::sort(known, [](const init::KnownTorch& a, const init::KnownTorch& b) {
    return pep::parse_version(a.release).value() < pep::parse_version(b.release).value();
  });
  return known;
}

}  // namespace pinwheel::prepare
