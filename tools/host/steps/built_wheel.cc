#include "host/steps/built_wheel.h"

#include <algorithm>
#include <memory>

#include "host/steps/build_command.h"
#include "host/system/file_source.h"
#include "host/wheels/inspect_path.h"
#include "inspect/python_abi.h"
#include "pep/wheel_name.h"
#include "plan/built_wheel.h"
#include "project/pyproject.h"
#include "wheel/archive.h"
#include "wheel/metadata.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// The backend by the source's `pyproject.toml`; setuptools if there is none, as PEP 517 says.
project::Backend backend_of_source(const StepContext& context) {
  const fs::path file = context.attempt.scratch / kSourceName / "pyproject.toml";
  const Result<std::string> text = context.machine.files.read(file);
  if (!text) return project::Backend::setuptools;
  const Result<project::Pyproject> read = project::parse_pyproject(*text, file.string());
  return read ? project::backend_of(read->build_system) : project::Backend::other;
}

/// Called only if the plan promises a wheel for every Python, because it reads every library.
Result<plan::PythonUse> python_use(const plan::BuildWheel& action, const fs::path& built) {
  if (action.tags.abi != "none") return plan::PythonUse::unknown;
  TRY(const inspect::WheelFacts facts, inspect_wheel({built}));
  const bool some = std::ranges::any_of(facts.libraries, [](const inspect::ElfMember& library) {
    return !inspect::python_symbols(library.elf).empty();
  });
  return some ? plan::PythonUse::some : plan::PythonUse::none;
}

}  // namespace

Result<wheel::Metadata> metadata_of(const fs::path& path) {
  TRY(const std::unique_ptr<FileSource> source, FileSource::open(path));
  TRY(const wheel::WheelArchive archive, wheel::open_wheel(path.filename().string(), *source));
  TRY(const std::string text, archive.read_info("METADATA"));
  return wheel::parse_metadata(text);
}

Result<std::vector<std::string>> check_built_wheel(const StepContext& context,
                                                   const plan::BuildWheel& action,
                                                   const fs::path& built) {
  TRY(const pep::WheelName name, pep::parse_wheel_name(built.filename().string()));
  TRY(const wheel::Metadata metadata, metadata_of(built));
  TRY(const plan::PythonUse use, python_use(action, built));
  return plan::judge_built_wheel(action, name, metadata.name(), backend_of_source(context), use);
}

Result<std::string> added_requirement(const plan::BuildWheel& action, const fs::path& built) {
  if (action.requires_torch.empty()) return std::string();
  TRY(const wheel::Metadata metadata, metadata_of(built));
  const bool own = std::ranges::any_of(metadata.requires_dist(), [](const std::string& line) {
    return wheel::requirement_project(line) == "torch" && !wheel::is_of_extra(line);
  });
  return own ? std::string() : action.requires_torch;
}

}  // namespace pinwheel::host
