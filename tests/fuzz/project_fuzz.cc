#include <string>

#include "fuzz/fuzz.h"
#include "project/abi_macros.h"
#include "project/cargo_manifest.h"
#include "project/cibuildwheel.h"
#include "project/cmake_lists.h"
#include "project/ignored_files.h"
#include "project/meson_build.h"
#include "project/pyproject.h"
#include "project/setup_cfg.h"
#include "project/setup_py.h"
#include "project/source_scan.h"
#include "project/toml_document.h"
#include "project/tool_tables.h"
#include "project/version_place.h"
#include "project/workflow.h"

using namespace pinwheel;

namespace {

template <class T>
void check_config(const Result<T>& read) {
  if (!read) must(read.error().kind == ErrorKind::config);
}

}  // namespace

// Every file of a project is read, or rejected as a config error.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = text_of(data, size);
  check_config(project::parse_toml(text, "pyproject.toml"));
  check_config(project::parse_pyproject(text, "pyproject.toml"));
  check_config(project::parse_tool_tables(text, "pyproject.toml"));
  check_config(project::parse_cibuildwheel(text, "pyproject.toml"));
  check_config(project::parse_cargo_manifest(text, "Cargo.toml", {"default"}));
  check_config(project::parse_workflow(text, "wheels.yml"));
  static_cast<void>(project::parse_setup_cfg(text));
  static_cast<void>(project::parse_setup_py(text));
  static_cast<void>(project::parse_cmake_lists(text, {{"WITH_CUDA", "ON"}}));
  static_cast<void>(project::parse_meson_build(text));
  static_cast<void>(project::scan_source("csrc/a.cpp", text));
  static_cast<void>(project::limited_api_macro(text));
  static_cast<void>(project::version_in(text, {{"a.py"}, {"__version__"}}));
  static_cast<void>(project::is_ignored({std::string(text)}, "a/b/c.py"));
  return 0;
}
