#include "host/steps/compiler_cache_probes.h"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <optional>
#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "env/pass_list.h"
#include "host/steps/compiler_cache.h"
#include "host/system/open_regular.h"
#include "plan/compiler_cache_scripts.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kMostToProbe{5};
/// ccache trusts no file that is younger than the start of its compilation, by the second.
constexpr const char* kWait = "sleep 1.2";
/// The two texts of a file that changes.
constexpr char kFirst = '1';
constexpr char kSecond = '2';

/// A source that is compiled twice, with another text of one file.
struct ProbedChange {
  std::string name;
  std::string what;       ///< for people
  std::string source;     ///< "host-code.cu"
  std::string unchanged;  ///< the text of the source; empty: it changes itself
  std::string changed;    ///< the file that changes
  std::string text;       ///< of the file that changes, with `@MARK@`
  std::vector<std::string> options = {};
};

/// The text in the object of a change: "pinwheel-host-code-2".
std::string mark_of(const ProbedChange& change, char round) {
  return fmt::format("pinwheel-{}-{}", change.name, round);
}

// What the compiler of a HIP source without its headers needs for a kernel.
constexpr const char* kHipRuntime =
    "#define __global__ __attribute__((global))\n"
    "struct dim3 { unsigned x, y, z; };\nenum hipError_t { hipSuccess };\n"
    "extern \"C\" hipError_t __hipPopCallConfiguration(dim3*, dim3*, unsigned long*, void**);\n"
    "extern \"C\" hipError_t hipLaunchKernel(const void*, dim3, dim3, void**, unsigned long, "
    "void*);\n";

/// A kernel with the text of a header that only one pass includes.
std::string kernel_of_pass(const std::string& condition, const std::string& header) {
  return fmt::format(
      "#if {}\n#include \"{}\"\n#else\n#define TEXT \"other\"\n#endif\n"
      "__global__ void k(char* a) {{ a[0] = TEXT[a[1]]; }}\n",
      condition, header);
}

std::vector<ProbedChange> probed_changes() {
  const std::string define = "#define TEXT \"@MARK@\"\n";
  const std::string kernel = "__global__ void k(float* a) { a[0] = 1; }\n";
  // The texts of compressed device code would not be found.
  const std::vector<std::string> one = {"-no-compress", "-gencode", "arch=compute_90,code=sm_90"};
  std::vector<std::string> two = {"-gencode", "arch=compute_80,code=sm_80"};
  two.insert(two.end(), one.begin(), one.end());
  std::vector<std::string> lines = one;
  lines.emplace_back("-lineinfo");
  return {
      {"header", "a header that a C++ source includes", "header.cc",
       "#include \"text.h\"\nconst char* text() { return TEXT; }\n", "text.h", define},
      {"device-header",
       "a header that only the device pass of HIP includes",
       "device-header.hip",
       kHipRuntime + kernel_of_pass("__HIP_DEVICE_COMPILE__", "device.h"),
       "device.h",
       define,
       {"-x", "hip", "-nogpulib", "-nogpuinc", "--offload-arch=gfx90a"}},
      {"host-code", "host code in a CUDA source", "host-code.cu", "", "host-code.cu",
       kernel + "#ifndef __CUDA_ARCH__\nconst char* text() { return \"@MARK@\"; }\n#endif\n", one},
      {"later-architecture", "a header that only the second architecture includes",
       "later-architecture.cu", kernel_of_pass("__CUDA_ARCH__ == 900", "later.h"), "later.h",
       define, two},
      {"line-numbers", "the line numbers of a CUDA source, with `-lineinfo`", "line-numbers.cu", "",
       "line-numbers.cu", "#line 1 \"@MARK@\"\n" + kernel, lines}};
}

// A root of links to the toolkit with another ptxas, which notes each of its calls.
constexpr std::string_view kOtherPtxas = R"SH(
top=$1 fake=$2 mark=$3
mkdir -p "$fake/bin"
for path in "$top"/*; do [ "${path##*/}" = bin ] || ln -sfn "$path" "$fake/${path##*/}"; done
for path in "$top"/bin/*; do ln -sfn "$path" "$fake/bin/${path##*/}"; done
rm -f "$fake/bin/nvcc" "$fake/bin/nvcc.profile" "$fake/bin/ptxas"
cp "$top/bin/nvcc" "$top/bin/nvcc.profile" "$fake/bin/"
printf '#!/bin/sh\necho %s >> "%s/calls"\nexec "%s/bin/ptxas" "$@"\n' "$mark" "$fake" "$top" > "$fake/bin/ptxas"
chmod +x "$fake/bin/ptxas"
)SH";

class CacheProbes {
 public:
  CacheProbes(const EnvMachine& machine, matrix::CompilerCache cache, const fs::path& directory)
      : machine_(machine),
        cache_(cache),
        directory_(directory),
        programs_(directory / kCompilerCacheName),
        variables_(env::variables_for(env::Helper::compiler, machine.variables)) {
    // The probes use no cache and no server of the user.
    std::erase_if(variables_, [](const auto& each) {
      return each.first.starts_with("CCACHE_") || each.first.starts_with("SCCACHE_");
    });
    set_compiler_cache(cache, {programs_}, variables_);
    variables_["CCACHE_DIR"] = (directory / "ccache").string();
    variables_["CCACHE_REMOTE_STORAGE"] = "";
    variables_["SCCACHE_DIR"] = (directory / "sccache").string();
  }

  Result<std::vector<CacheProbe>> all() {
    TRY_DONE(write_compiler_cache(machine_.files, programs_, cache_));
    const bool server = cache_ == matrix::CompilerCache::sccache;
    if (server && !variables_.contains("SCCACHE_SERVER_UDS")) {
      return unusable(
          fmt::format("the path of {} is too long for a socket", quoted(directory_.string())));
    }
    return with_cache();
  }

 private:
  static std::vector<CacheProbe> unusable(const std::string& why) {
    return {{"launcher", ProbeVerdict::unusable, why}};
  }

  Result<std::vector<CacheProbe>> with_cache() {
    if (const std::optional<std::string> why = prepare()) return unusable(*why);
    top_ = top_of_nvcc();
    hip_ = clang_of_hip();
    TRY_DONE(write_sources(kFirst));
    for (const ProbedChange& each : changes_) {
      // A source that does not compile is noticed when it is compiled again.
      if (!compiler_of(each).empty()) static_cast<void>(compile(each));
    }
    TRY_DONE(write_sources(kSecond));
    std::vector<CacheProbe> probes;
    probes.reserve(changes_.size() + 1);
    for (const ProbedChange& each : changes_) {
      TRY(CacheProbe probe, again(each));
      probes.push_back(std::move(probe));
    }
    TRY(CacheProbe ptxas, top_.empty() ? skipped("ptxas", "there is no nvcc") : probe_ptxas());
    probes.push_back(std::move(ptxas));
    return probes;
  }

  static CacheProbe skipped(const std::string& name, const std::string& why) {
    return {name, ProbeVerdict::skipped, why};
  }

  Result<ports::Captured> run(std::vector<std::string> argv) const {
    return machine_.process.capture({std::move(argv), directory_, variables_, kMostToProbe});
  }

  std::string text_at(const fs::path& path) const {
    return read_plain_file(path, limits::kFile).value_or(std::string());
  }

  /// Why the cache cannot be used; nullopt if it can.
  std::optional<std::string> prepare() const {
    const Result<ports::Captured> ran = run({"sh", (programs_ / plan::kPrepareName).string()});
    if (!ran) return ran.error().message;
    const std::string why(trim(text_at(programs_ / plan::kWarningName)));
    if (!why.empty()) return why;
    return ran->exit.ok() ? std::nullopt : std::optional<std::string>("its preparation failed");
  }

  /// The root of the toolkit of nvcc; empty without one.
  std::string top_of_nvcc() const {
    constexpr std::string_view kTop = "#$ TOP=";
    const Result<ports::Captured> ran =
        run({nvcc(), "--dryrun", "-x", "cu", "-c", "/dev/null", "-o", "/dev/null"});
    if (!ran) return {};
    for (const std::string& line : split(ran->err, '\n')) {
      if (!line.starts_with(kTop)) continue;
      std::error_code unknown;
      const fs::path top = fs::canonical(line.substr(kTop.size()), unknown);
      return unknown ? std::string() : top.string();
    }
    return {};
  }

  std::string nvcc() const {
    const std::string home = value_at(variables_, "CUDA_HOME");
    return home.empty() ? "nvcc" : home + "/bin/nvcc";
  }

  /// The clang that compiles HIP; empty without one.
  std::string clang_of_hip() const {
    const std::string home = value_at(variables_, "ROCM_PATH");
    const std::string rocm = (home.empty() ? "/opt/rocm" : home) + "/llvm/bin/clang++";
    for (const std::string& clang : {rocm, std::string("clang++")}) {
      const Result<ports::Captured> ran = run({clang, "--version"});
      if (ran && ran->exit.ok()) return clang;
    }
    return {};
  }

  /// Empty if this machine does not have it.
  std::string compiler_of(const ProbedChange& change) const {
    if (change.source.ends_with(".cu")) return top_.empty() ? std::string() : nvcc();
    return change.source.ends_with(".hip") ? hip_ : "c++";
  }

  Done write_sources(char round) const {
    for (const ProbedChange& each : changes_) {
      if (!each.unchanged.empty()) {
        TRY_DONE(machine_.files.write(directory_ / each.source, each.unchanged));
      }
      const std::string text = replace_all(each.text, "@MARK@", mark_of(each, round));
      TRY_DONE(machine_.files.write(directory_ / each.changed, text));
    }
    static_cast<void>(run({"sh", "-c", kWait}));
    return {};
  }

  /// The bytes of the object; an error if it was not compiled.
  Result<std::string> compile(const ProbedChange& change) const {
    std::vector<std::string> argv = {(programs_ / plan::kLauncherName).string(),
                                     compiler_of(change)};
    if (cache_ == matrix::CompilerCache::sccache) {
      // The server ends with the command, so it must store the object before.
      argv.insert(argv.begin(), (programs_ / plan::kCountedName).string());
    }
    argv.insert(argv.end(), change.options.begin(), change.options.end());
    const std::string object = (directory_ / (change.name + ".o")).string();
    argv.insert(argv.end(), {"-MD", "-MF", object + ".d", "-c", change.source, "-o", object});
    TRY_DONE(machine_.files.remove_all(object));
    TRY(const ports::Captured ran, run(argv));
    if (ran.exit.canceled) return fail(ErrorKind::interrupted, "the probes were interrupted");
    if (!ran.exit.ok()) {
      const std::string_view error = trim(ran.err);
      return fail(ErrorKind::check, std::string(error.substr(0, error.find('\n'))));
    }
    return machine_.files.read(object);
  }

  /// Compiles a source again, after its change. The object has the text of one of the two.
  Result<CacheProbe> again(const ProbedChange& change) const {
    if (compiler_of(change).empty()) {
      const bool hip = change.source.ends_with(".hip");
      return skipped(change.name, hip ? "there is no clang++" : "there is no nvcc");
    }
    const Result<std::string> object = compile(change);
    if (!object) return without_object(change.name, object.error());
    if (object->find(mark_of(change, kSecond)) != std::string::npos) {
      return CacheProbe{change.name, ProbeVerdict::sound, change.what};
    }
    if (object->find(mark_of(change, kFirst)) == std::string::npos) {
      return skipped(change.name, "the object does not show the change");
    }
    return CacheProbe{change.name, ProbeVerdict::stale, change.what};
  }

  static Result<CacheProbe> without_object(const std::string& name, const Error& error) {
    if (error.kind == ErrorKind::interrupted) return fail(error);
    return skipped(name, "it does not compile: " + error.message);
  }

  Result<CacheProbe> probe_ptxas() {
    const fs::path fake = directory_ / "toolkit";
    variables_["CUDA_HOME"] = fake.string();
    ProbedChange change = changes_.back();
    change.name = "ptxas";
    for (const char* const mark : {"first", "second"}) {
      TRY(const ports::Captured made,
          run({"sh", "-c", std::string(kOtherPtxas), "sh", top_, fake.string(), mark}));
      if (!made.exit.ok()) return skipped(change.name, std::string(trim(made.err)));
      if (const std::optional<std::string> why = prepare()) return skipped(change.name, *why);
      const Result<std::string> object = compile(change);
      if (!object) return without_object(change.name, object.error());
    }
    const bool noticed = text_at(fake / "calls").find("second") != std::string::npos;
    return CacheProbe{change.name, noticed ? ProbeVerdict::sound : ProbeVerdict::stale,
                      "a different ptxas under the same nvcc"};
  }

  const EnvMachine& machine_;
  const matrix::CompilerCache cache_;
  const fs::path directory_;
  const fs::path programs_;
  std::map<std::string, std::string> variables_;
  const std::vector<ProbedChange> changes_ = probed_changes();
  std::string top_ = {};  ///< the root of the toolkit of nvcc; empty without one
  std::string hip_ = {};  ///< the clang that compiles HIP; empty without one
};

}  // namespace

std::string_view to_string(ProbeVerdict verdict) {
  switch (verdict) {
    case ProbeVerdict::sound:
      return "sound";
    case ProbeVerdict::stale:
      return "stale";
    case ProbeVerdict::skipped:
      return "skipped";
    case ProbeVerdict::unusable:
      return "unusable";
  }
  return {};
}

Result<std::vector<CacheProbe>> probe_compiler_cache(const EnvMachine& machine,
                                                     matrix::CompilerCache cache,
                                                     const fs::path& directory) {
  return CacheProbes(machine, cache, directory).all();
}

}  // namespace pinwheel::host
