#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "base/text.h"
#include "inspect/bundled_library.h"
#include "inspect/required_libraries.h"
#include "inspect/rule_functions.h"

// Rules on how the code of libraries was compiled and linked.
namespace pinwheel::inspect {
namespace {

bool uses_shared_runtime(const ElfMember& library) {
  const std::vector<std::string>& needed = library.elf.needed;
  return std::any_of(needed.begin(), needed.end(), [](const std::string& soname) {
    return soname.starts_with("libcudart.so") || soname == "libc10_cuda.so" ||
           soname == "libtorch_cuda.so";
  });
}

/// The symbols through which compilers and libraries query the processor's features.
bool is_cpu_query(const binary::Symbol& symbol) {
  constexpr std::array<std::string_view, 5> kNames = {
      "__cpu_model", "__cpu_indicator_init", "__cpu_features2", "getauxval", "av_get_cpu_flags"};
  return symbol.name.starts_with("cpuinfo_") ||
         std::find(kNames.begin(), kNames.end(), symbol.name) != kNames.end();
}

/// Whether the file name states the processors it is for, so that the loading code makes the
/// choice: "_swigfaiss_avx2.so".
bool is_named_for_processors(std::string_view member) {
  constexpr std::array<std::string_view, 9> kMarks = {
      "avx", "bmi", "adx", "sse4", "fma", "haswell", "skylake", "x86_64_v", "x86-64-v"};
  const std::string name = to_lower(last_part(member));
  return std::any_of(kMarks.begin(), kMarks.end(), [&name](std::string_view mark) {
    return name.find(mark) != std::string::npos;
  });
}

bool queries_cpu(const ElfMember& library) {
  const binary::Elf& elf = library.elf;
  return library.code.x86.cpu_queries > 0 ||
         std::any_of(elf.undefined.begin(), elf.undefined.end(), is_cpu_query) ||
         std::any_of(elf.defined.begin(), elf.defined.end(), is_cpu_query);
}

/// Whether the library, or a library of the wheel that it needs, queries the processor's features.
class CpuQueries {
 public:
  explicit CpuQueries(const WheelFacts& facts) : facts_(facts) {}

  bool reach(const ElfMember& library) {
    std::set<std::string> seen;
    return reach(library, seen);
  }

 private:
  bool reach(const ElfMember& library, std::set<std::string>& seen) const {
    if (!seen.insert(library.name).second) return false;
    if (queries_cpu(library)) return true;
    const std::vector<std::string>& needed = library.elf.needed;
    return std::any_of(
        facts_.libraries.begin(), facts_.libraries.end(), [&](const ElfMember& other) {
          const bool is_needed =
              std::find(needed.begin(), needed.end(), other.elf.soname) != needed.end() ||
              std::find(needed.begin(), needed.end(), last_part(other.name)) != needed.end();
          return is_needed && reach(other, seen);
        });
  }

  const WheelFacts& facts_;
};

/// Data among the code looks like an instruction now and then.
constexpr uint64_t kSome = 16;

/// Whether even the library's ordinary code, which runs before any choice, is beyond the baseline:
/// a compiler that may use AVX uses it instead of SSE everywhere.
bool is_beyond_everywhere(const binary::X86Counts& code) {
  constexpr uint64_t kEnough = 64;
  constexpr uint64_t kShare = 20;
  const uint64_t beyond = code.avx + code.avx512;
  return beyond >= kEnough && code.sse * kShare < beyond;
}

std::string counts_text(const binary::X86Counts& code) {
  std::vector<std::string> parts;
  if (code.avx512 > 0) parts.push_back(fmt::format("{} of AVX-512", code.avx512));
  if (code.avx > 0) parts.push_back(fmt::format("{} of AVX", code.avx));
  if (code.bmi > 0) parts.push_back(fmt::format("{} of BMI", code.bmi));
  parts.push_back(fmt::format("{} of SSE", code.sse));
  return join(parts, ", ");
}

}  // namespace

Findings judge_cuda_runtime(const WheelFacts& facts, const Expectations& /*expected*/) {
  const auto shared =
      std::find_if(facts.libraries.begin(), facts.libraries.end(), uses_shared_runtime);
  if (shared == facts.libraries.end()) return {};
  Findings out;
  for (const ElfMember& library : facts.libraries) {
    // NVIDIA's own libraries are linked that way.
    const std::string file = original_name(std::string(last_part(library.name)));
    if (!library.code.cuda_runtime || nvidia_distribution(file)) continue;
    out.push_back({"", library.name,
                   "has a statically linked CUDA runtime in addition to the shared one: errors, "
                   "the current device and registered kernels of one are unknown to the other",
                   quoted(shared->name) + " uses the shared runtime",
                   "link with `-cudart shared` (CMake: `CMAKE_CUDA_RUNTIME_LIBRARY=Shared`)"});
  }
  return out;
}

Findings judge_cpu_baseline(const WheelFacts& facts, const Expectations& expected) {
  Findings out;
  if (expected.build && !expected.build->machine_flags.empty() && !facts.libraries.empty()) {
    out.push_back({"", facts.file_name,
                   "was compiled for the processor of the machine that built it, and may crash on "
                   "others (illegal instruction)",
                   "the build passes " + join(expected.build->machine_flags, ", "),
                   "remove the flag, or choose code at run time (`target_clones`, "
                   "`__builtin_cpu_supports`)"});
  }
  CpuQueries queries(facts);
  for (const ElfMember& library : facts.libraries) {
    const binary::X86Counts& code = library.code.x86;
    if (code.avx + code.avx512 + code.bmi < kSome || is_named_for_processors(library.name))
      continue;
    const bool everywhere = is_beyond_everywhere(code);
    if (!everywhere && queries.reach(library)) continue;
    out.push_back(
        {"", library.name,
         everywhere
             ? "is compiled for processors with AVX throughout, and crashes on others (illegal "
               "instruction)"
             : "has instructions that not every x86_64 processor supports, and never checks the "
               "processor",
         counts_text(code),
         "drop `-march=native`, `-mavx` and the like from the compiler's flags, or choose code at "
         "run time (`target_clones`, `__builtin_cpu_supports`)"});
  }
  return out;
}

Findings judge_compiled_here(const WheelFacts& facts, const Expectations& expected) {
  if (!expected.build || expected.build->compiled || facts.libraries.empty()) return {};
  return {
      {"", facts.file_name,
       "has native code, but the build ran no compiler: its setup script may have downloaded a "
       "finished wheel or library",
       quoted(facts.libraries.front().name),
       "make the project compile (many have a variable for it, such as `FORCE_BUILD=TRUE`), and "
       "leave `build.network` off"}};
}

}  // namespace pinwheel::inspect
