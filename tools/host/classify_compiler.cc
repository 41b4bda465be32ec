#include "host/classify_compiler.h"

#include <array>

#include "host/classify_pip.h"

namespace pinwheel::host {
namespace {

constexpr std::string_view kFewerJobs = "give it fewer jobs with `--jobs`";
constexpr std::string_view kCompiler =
    "name a host compiler that the toolkit supports with `CXX` and `CUDAHOSTCXX`";

constexpr std::array kTable = {
    Symptom{"Killed signal terminated program", ErrorKind::out_of_memory, kFewerJobs},
    Symptom{"virtual memory exhausted", ErrorKind::out_of_memory, kFewerJobs},
    Symptom{"Cannot allocate memory", ErrorKind::out_of_memory, kFewerJobs},
    Symptom{"out of memory allocating", ErrorKind::out_of_memory, kFewerJobs},
    Symptom{"clang*error: unable to execute command: Killed", ErrorKind::out_of_memory, kFewerJobs},
    Symptom{"nvcc error*died due to signal 9", ErrorKind::out_of_memory, kFewerJobs},
    Symptom{"unsupported GNU version", ErrorKind::environment, kCompiler},
    Symptom{"unsupported clang version", ErrorKind::environment, kCompiler},
    Symptom{"No CMAKE_CXX_COMPILER could be found", ErrorKind::environment,
            "install a C++ compiler: `apt-get install g++`"},
    Symptom{"Failed to find nvcc", ErrorKind::environment,
            "set `toolkit: pypi` in the matrix, or put nvcc on PATH"},
    Symptom{"CUDA_HOME environment variable is not set", ErrorKind::environment,
            "set `toolkit: pypi` in the matrix, or put nvcc on PATH"},
};

/// A build backend fetches what it needs with pip; only these words are certain to be pip's.
constexpr std::array kPipInside = {
    Symptom{"pip subprocess to install build dependencies did not run successfully",
            ErrorKind::step, ""},
    Symptom{"WARNING: Retrying (Retry(", ErrorKind::step, ""},
};

/// The line to show of a build that failed by itself: the first that a compiler calls an error.
constexpr std::array kErrors = {
    Symptom{"undefined reference to ", ErrorKind::step, ""},
    Symptom{": fatal error: ", ErrorKind::step, ""},
    Symptom{": error: ", ErrorKind::step, ""},
    Symptom{"CMake Error at ", ErrorKind::step, ""},
    Symptom{"ERROR: ", ErrorKind::step, ""},
};

}  // namespace

Diagnosis classify_compiler(const ports::Exit& exit, std::string_view output) {
  Diagnosis diagnosis = diagnose(exit, output, kTable);
  if (diagnosis.kind != ErrorKind::step) return diagnosis;
  Diagnosis error = diagnose(exit, output, kErrors);
  // A compile error beside a warning about the network is a compile error.
  const bool compiled = !error.line.empty() && !error.line.starts_with("ERROR: ");
  if (!compiled && !diagnose(exit, output, kPipInside).line.empty()) {
    return classify_pip(exit, output);
  }
  return error;
}

}  // namespace pinwheel::host
