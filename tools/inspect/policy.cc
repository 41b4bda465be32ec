#include "inspect/policy.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/parse_integer.h"
#include "base/text.h"

namespace pinwheel::inspect {
namespace {

constexpr std::array<Policy, 15> kX86{{
    {5, "2.5", "3.4.8", "1.3.1", "4.2.0", "", ""},
    {12, "2.12", "3.4.13", "1.3.3", "4.3.0", "1.2.2.4", ""},
    {17, "2.17", "3.4.19", "1.3.7", "4.8.0", "1.2.5.2", ""},
    {24, "2.24", "3.4.22", "1.3.10", "4.8.0", "1.2.5.2", "1.2"},
    {26, "2.26", "3.4.22", "1.3.10", "4.8.0", "1.2.5.2", "1.2"},
    {27, "2.27", "3.4.24", "1.3.11", "7.0.0", "1.2.9", "1.2"},
    {28, "2.28", "3.4.24", "1.3.11", "7.0.0", "1.2.9", "1.2"},
    {31, "2.31", "3.4.28", "1.3.12", "7.0.0", "1.2.9", "1.2"},
    {34, "2.34", "3.4.29", "1.3.13", "7.0.0", "1.2.9", "1.2"},
    {35, "2.35", "3.4.30", "1.3.13", "12.0.0", "1.2.9", "1.2"},
    {36, "2.36", "3.4.30", "1.3.13", "12.0.0", "1.2.9", "1.2"},
    {38, "2.38", "3.4.30", "1.3.13", "12.0.0", "1.2.12", "1.2"},
    {39, "2.39", "3.4.33", "1.3.15", "14.0.0", "1.2.12", "1.2"},
    {40, "2.40", "3.4.33", "1.3.15", "14.0.0", "1.2.12", "1.2"},
    {41, "2.41", "3.4.33", "1.3.15", "14.0.0", "1.2.12", "1.2"},
}};

constexpr std::array<Policy, 13> kArm{{
    {17, "2.17", "3.4.19", "1.3.7", "4.7.0", "1.2.5.2", "1.0"},
    {24, "2.24", "3.4.22", "1.3.10", "4.7.0", "1.2.5.2", "1.2"},
    {26, "2.26", "3.4.24", "1.3.11", "7.0.0", "1.2.5.2", "1.2"},
    {27, "2.27", "3.4.24", "1.3.11", "7.0.0", "1.2.9", "1.2"},
    {28, "2.28", "3.4.24", "1.3.11", "7.0.0", "1.2.9", "1.2"},
    {31, "2.31", "3.4.28", "1.3.12", "7.0.0", "1.2.9", "1.2"},
    {34, "2.34", "3.4.29", "1.3.13", "11.0", "1.2.9", "1.2"},
    {35, "2.35", "3.4.30", "1.3.13", "11.0", "1.2.9", "1.2"},
    {36, "2.36", "3.4.30", "1.3.13", "11.0", "1.2.9", "1.2"},
    {38, "2.38", "3.4.30", "1.3.13", "11.0", "1.2.12", "1.2"},
    {39, "2.39", "3.4.33", "1.3.15", "14.0.0", "1.2.12", "1.2"},
    {40, "2.40", "3.4.33", "1.3.15", "14.0.0", "1.2.12", "1.2"},
    {41, "2.41", "3.4.33", "1.3.15", "14.0.0", "1.2.12", "1.2"},
}};

constexpr std::array<std::string_view, 22> kEverywhere = {
    "libatomic.so.1",      "libgcc_s.so.1",
    "libstdc++.so.6",      "libm.so.6",
    "libanl.so.1",         "libdl.so.2",
    "librt.so.1",          "libc.so.6",
    "libnsl.so.1",         "libutil.so.1",
    "libpthread.so.0",     "libX11.so.6",
    "libXext.so.6",        "libXrender.so.1",
    "libICE.so.6",         "libSM.so.6",
    "libGL.so.1",          "libgobject-2.0.so.0",
    "libgthread-2.0.so.0", "libglib-2.0.so.0",
    "libresolv.so.2",      "libz.so.1"};

// Nullopt for names such as "PRIVATE" and "ABI_DT_RELR".
std::optional<std::vector<uint64_t>> numbers(std::string_view text) {
  std::vector<uint64_t> out;
  for (const std::string& part : split(text, '.')) {
    const std::optional<uint64_t> number = parse_unsigned(part);
    if (!number) return std::nullopt;
    out.push_back(*number);
  }
  return out;
}

// Names that are not numbers were also introduced by some release.
bool allows_name(const Policy& policy, std::string_view arch, std::string_view version) {
  if (version == "CXXABI_TM_1") return policy.minor >= 17;
  if (version == "CXXABI_FLOAT128") return policy.minor >= 24 && arch == "x86_64";
  if (version == "GLIBC_ABI_DT_RELR") return policy.minor >= 36;
  return false;
}

}  // namespace

std::span<const Policy> policies(std::string_view arch) {
  if (arch == "x86_64") return kX86;
  if (arch == "aarch64") return kArm;
  return {};
}

bool is_system_library(std::string_view soname, const Policy& policy) {
  if (soname.starts_with("ld-linux")) return true;
  if (soname == "libexpat.so.1") return policy.minor >= 12;
  if (soname == "libmvec.so.1") return policy.minor >= 24;
  return std::find(kEverywhere.begin(), kEverywhere.end(), soname) != kEverywhere.end();
}

bool allows_version(const Policy& policy, std::string_view arch, std::string_view version) {
  const std::array<std::pair<std::string_view, std::string_view>, 6> families = {
      {{"GLIBC", policy.glibc},
       {"GLIBCXX", policy.glibcxx},
       {"CXXABI", policy.cxxabi},
       {"GCC", policy.gcc},
       {"ZLIB", policy.zlib},
       {"LIBATOMIC", policy.libatomic}}};
  const size_t cut = version.find('_');
  if (cut == std::string_view::npos) return true;
  for (const auto& [family, newest] : families) {
    if (version.substr(0, cut) != family) continue;
    const std::optional<std::vector<uint64_t>> wanted = numbers(version.substr(cut + 1));
    if (!wanted) return allows_name(policy, arch, version);
    return !newest.empty() && *wanted <= *numbers(newest);
  }
  return true;
}

}  // namespace pinwheel::inspect
