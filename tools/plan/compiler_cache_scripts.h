#pragma once
#include <string>
#include <string_view>

#include "matrix/settings.h"

// How a build uses a compiler cache
//
// Two small programs are written into a directory of the build. `prepare` runs before the build, in
// its environment: it compiles a probe through the cache and writes a digest of the toolchain.
// `launcher` runs a compiler through the cache. A build must not fail because of its cache, so the
// launcher runs the compiler alone if `prepare` has not succeeded, and again if the cache itself
// fails (no server, no room, a directory that cannot be read, a crash).
//
// A stale object would be a wrong wheel. So the launcher
//
// - puts the digest of the toolchain into every key: compilers, assemblers, linkers, and the
//   programs that nvcc calls, because caches do not notice another ptxas under the same nvcc. It
//   contains the names of the headers of packages and of the system, too, because caches do not
//   notice that a header was added;
// - passes only those calls of nvcc to the cache that write their dependencies (`-MD`). With them,
//   ccache compares the headers of all passes of nvcc; without them, it preprocesses the code of
//   only one architecture, and misses host code and the code of the others;
// - lets ccache preprocess HIP sources (`CCACHE_NODEPEND`): the dependencies that clang writes are
//   those of its pass for the host, but its preprocessed code is that of all passes;
// - lets ccache preprocess if the dependencies lack the headers of the system (`-MMD`), because the
//   headers of packages are often among them;
// - does not cache CUDA sources that clang compiles, SYCL or OpenMP offloading: for these, neither
//   the dependencies nor the preprocessed code is known to be complete.
//
// `nvcc` is the launcher for PYTORCH_NVCC, which is one word: it also replaces the long dependency
// options of torch, which ccache before 4.12.3 cannot cache. `counted` runs a build that has a
// separate server of sccache.
namespace pinwheel::plan {

/// The name of the program, "ccache".
std::string_view program_of(matrix::CompilerCache cache);

/// The texts of the programs, for `sh`.
std::string prepare_script(matrix::CompilerCache cache);
std::string launcher_script(matrix::CompilerCache cache);
std::string nvcc_script();
std::string counted_script();

/// Names in the directory of the programs.
inline constexpr const char* kPrepareName = "prepare";
inline constexpr const char* kLauncherName = "launcher";
inline constexpr const char* kNvccName = "nvcc";
inline constexpr const char* kCountedName = "counted";
inline constexpr const char* kServerName = "server";  ///< the socket of sccache
/// Written by `counted`: the statistics of the server, as JSON.
inline constexpr const char* kCountersName = "counters";
/// Written by `prepare` if it fails: the reason.
inline constexpr const char* kWarningName = "warning";
/// Written by the launcher: a line for each compilation for which the cache failed.
inline constexpr const char* kFaultsName = "faults";

}  // namespace pinwheel::plan
