#include "inspect/bundled_library.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "inspect/required_libraries.h"
#include "pep/name.h"

namespace pinwheel::inspect {
namespace {

constexpr const char* kTorch = "torch";

struct Owned {
  std::string_view pattern;  ///< of the soname
  std::string_view distribution;
};
constexpr std::array<Owned, 16> kOwned = {{
    {"libtorch.so", kTorch},
    {"libtorch_{cpu,cuda,hip,xpu,python,cuda_linalg,global_deps,nvshmem}.so", kTorch},
    {"libc10.so", kTorch},
    {"libc10_{cuda,hip,xpu}.so", kTorch},
    {"libshm.so", kTorch},
    {"libtensorflow_framework.so*", "tensorflow"},
    {"libtensorflow_cc.so*", "tensorflow"},
    {"libarrow.so*", "pyarrow"},
    {"libarrow_{python,dataset,acero,flight,compute,substrait}.so*", "pyarrow"},
    {"libparquet.so*", "pyarrow"},
    {"libonnxruntime.so*", "onnxruntime"},
    {"libtvm_ffi.so*", "apache-tvm-ffi"},
    {"libtriton.so*", "triton"},
    {"libmkl_*.so*", "mkl"},
    {"libiomp5.so*", "intel-openmp"},
    {"libtbb.so*", "tbb"},
}};

std::optional<BundledLibrary> owned_by_another(const std::string& member, const std::string& name) {
  const std::string soname = original_name(name);
  for (const Owned& owned : kOwned) {
    if (!glob_match(owned.pattern, soname)) continue;
    return BundledLibrary{member, soname, std::string(owned.distribution)};
  }
  const std::optional<NvidiaDistribution> nvidia = nvidia_distribution(soname);
  if (!nvidia) return std::nullopt;
  return BundledLibrary{member, soname, "nvidia-" + nvidia->stem};
}

}  // namespace

std::string original_name(const std::string& name) {
  constexpr size_t kDigits = 8;
  const size_t suffix = name.find(".so");
  if (suffix == std::string::npos || suffix < kDigits + 1) return name;
  const size_t dash = suffix - kDigits - 1;
  const std::string_view digits = std::string_view(name).substr(dash + 1, kDigits);
  const bool marked = (name[dash] == '-' || name[dash] == '.') &&
                      std::all_of(digits.begin(), digits.end(),
                                  [](unsigned char c) { return std::isxdigit(c) != 0; });
  return marked ? name.substr(0, dash) + name.substr(suffix) : name;
}

bool is_distribution(const std::string& name, const std::string& distribution) {
  // Extensions of torch have names like `torch-...`; for the other owners such names are variants.
  return name == distribution || (distribution != kTorch && name.starts_with(distribution + "-"));
}

std::vector<BundledLibrary> bundled_libraries(const WheelFacts& facts) {
  const std::string wheel = facts.name ? pep::normalize_name(facts.name->distribution) : "";
  std::vector<BundledLibrary> out;
  for (const ElfMember& library : facts.libraries) {
    std::optional<BundledLibrary> found =
        owned_by_another(library.name, std::string(last_part(library.name)));
    if (!found && !library.elf.soname.empty()) {
      found = owned_by_another(library.name, library.elf.soname);
    }
    if (found && !is_distribution(wheel, found->distribution)) out.push_back(*std::move(found));
  }
  return out;
}

}  // namespace pinwheel::inspect
