#include <string>

#include "compat/open_order.h"
#include "conda/conda_output.h"
#include "container/container_image.h"
#include "container/engine.h"
#include "env/architectures.h"
#include "env/checks_before.h"
#include "env/classify.h"
#include "env/classify_compiler.h"
#include "env/environment_marker.h"
#include "env/first_error.h"
#include "env/interpreter.h"
#include "env/missing_library.h"
#include "env/resolution.h"
#include "env/toolkit.h"
#include "fuzz/fuzz.h"
#include "init/from_cibuildwheel.h"
#include "repair/loader_cache.h"

using namespace pinwheel;

namespace {

void check_environments(std::string_view text) {
  static_cast<void>(env::parse_pip_report(text));
  static_cast<void>(env::parse_resolution(text));
  static_cast<void>(env::parse_environment_marker(text));
  static_cast<void>(env::parse_interpreter(text));
  static_cast<void>(env::parse_torch_build(text));
  static_cast<void>(container::parse_image(text));
  static_cast<void>(container::parse_docker_info(text));
  static_cast<void>(container::parse_podman_info(text));
  static_cast<void>(container::parse_binfmt(text));
  static_cast<void>(env::parse_spec(text));
  for (const conda::CondaKind kind : {conda::CondaKind::micromamba, conda::CondaKind::conda}) {
    static_cast<void>(conda::parse_solution(kind, text));
    static_cast<void>(conda::parse_conda_version(kind, text));
    static_cast<void>(conda::explanation(kind, text, text));
  }
  static_cast<void>(conda::parse_rattler_failure(text));
  static_cast<void>(conda::parse_rattler_traffic(text));
  static_cast<void>(conda::parse_glibc(text));
}

}  // namespace

// The output of pip, conda, compilers, tests, engines and the loader, and its records.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = text_of(data, size);
  check_environments(text);
  ports::Exit failed;
  failed.code = 1;
  static_cast<void>(env::classify_compiler(failed, text));
  static_cast<void>(env::classify_pip(failed, text));
  static_cast<void>(env::classify_test(failed, text));
  static_cast<void>(env::first_error(env::plain_lines(text)));
  static_cast<void>(env::source_place(text));
  static_cast<void>(env::missing_library(text));
  static_cast<void>(env::parse_architectures(text));
  static_cast<void>(env::parse_nvcc_release(text));
  static_cast<void>(env::parse_hip_release(text));
  static_cast<void>(env::parse_host_compiler("g++", text));
  static_cast<void>(env::supported_compilers("13.0", text));
  static_cast<void>(repair::parse_loader_cache(text, "x86_64"));
  static_cast<void>(init::read_repair_command(std::string(text)));
  static_cast<void>(compat::parse_opened(std::string(text)));
  return 0;
}
