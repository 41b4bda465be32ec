#include "inspect/platform_tag.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "base/text.h"
#include "inspect/gpu_library.h"
#include "inspect/libc.h"
#include "inspect/musl_policy.h"
#include "inspect/policy.h"

namespace pinwheel::inspect {
namespace {

constexpr std::array<std::string_view, 3> kTorch = {"libtorch*.so", "libc10*.so", "libshm.so"};

/// Whether the file names versions of glibc's `libc.so.6`; glibc then requires the version that
/// announces packed relocations.
bool has_versions_of_libc(const binary::Elf& elf) {
  return std::any_of(elf.version_needs.begin(), elf.version_needs.end(),
                     [](const binary::VersionNeed& need) {
                       return need.library.starts_with("libc.so.") && !need.versions.empty();
                     });
}

std::vector<std::string> objections(const std::vector<ElfMember>& files,
                                    const std::set<std::string>& provided, const Policy& policy,
                                    std::string_view arch) {
  std::vector<std::string> out;
  for (const ElfMember& file : files) {
    for (const std::string& library : file.elf.needed) {
      if (provided.count(library) != 0 || is_system_library(library, policy)) continue;
      out.push_back(quoted(file.name) + " needs " + quoted(library));
    }
    const PackedRelocations packed = packed_relocations(file.elf);
    if (packed == PackedRelocations::unannounced) {
      out.push_back(quoted(file.name) +
                    " has packed relocations (DT_RELR) without `GLIBC_ABI_DT_RELR`: glibc 2.36 and "
                    "newer refuse it, older ones do not relocate it");
    }
    if (packed == PackedRelocations::unversioned && policy.minor < kPackedSince) {
      out.push_back(quoted(file.name) +
                    " has packed relocations (DT_RELR), which glibc reads since 2." +
                    std::to_string(kPackedSince));
    }
    for (const binary::VersionNeed& need : file.elf.version_needs) {
      if (provided.count(need.library) != 0) continue;
      for (const std::string& version : need.versions) {
        if (allows_version(policy, arch, version)) continue;
        out.push_back(quoted(file.name) + " needs " + quoted(version) + " of " +
                      quoted(need.library));
      }
    }
  }
  return out;
}

// Sonames that the system is not required to provide.
std::set<std::string> provided_elsewhere(const std::vector<ElfMember>& files,
                                         const std::vector<std::string>& external) {
  std::set<std::string> out = own_sonames(files);
  for (const ElfMember& file : files) {
    for (const std::string& library : file.elf.needed) {
      if (is_external_library(library, external)) out.insert(library);
    }
  }
  return out;
}

// The common architecture of all files, which must have policies.
Result<std::string> common_arch(const std::vector<ElfMember>& files) {
  std::string arch = binary::machine_name(files.front().elf.machine);
  for (const ElfMember& file : files) {
    if (file.elf.machine == files.front().elf.machine) continue;
    return fail(ErrorKind::check, quoted(file.name) + " is for " +
                                      binary::machine_name(file.elf.machine) + ", " +
                                      quoted(files.front().name) + " for " + arch);
  }
  if (policies(arch).empty()) {
    return fail(ErrorKind::check,
                quoted(files.front().name) + " is for " + arch + ", which has no known policy");
  }
  return arch;
}

const Policy* policy_of(const std::string& arch, const pep::LinuxPolicy& claimed) {
  const Policy* policy = nullptr;
  for (const Policy& candidate : policies(arch)) {
    if (candidate.minor <= claimed.minor) policy = &candidate;
  }
  return policy;
}

}  // namespace

PackedRelocations packed_relocations(const binary::Elf& elf) {
  if (!elf.packed_relocations) return PackedRelocations::none;
  for (const binary::VersionNeed& need : elf.version_needs) {
    const auto& versions = need.versions;
    if (std::find(versions.begin(), versions.end(), "GLIBC_ABI_DT_RELR") != versions.end()) {
      return PackedRelocations::announced;
    }
  }
  return has_versions_of_libc(elf) ? PackedRelocations::unannounced
                                   : PackedRelocations::unversioned;
}

std::set<std::string> own_sonames(const std::vector<ElfMember>& files) {
  std::set<std::string> out;
  for (const ElfMember& file : files) {
    out.emplace(last_part(file.name));
    if (!file.elf.soname.empty()) out.insert(file.elf.soname);
  }
  return out;
}

bool is_torch_library(const std::string& soname) {
  return std::any_of(kTorch.begin(), kTorch.end(),
                     [&](std::string_view pattern) { return glob_match(pattern, soname); });
}

bool is_external_library(const std::string& soname, const std::vector<std::string>& external) {
  const auto matches = [&](std::string_view pattern) { return glob_match(pattern, soname); };
  return is_torch_library(soname) || gpu_library(soname) != GpuLibrary::none ||
         std::any_of(external.begin(), external.end(), matches);
}

Result<PlatformTag> platform_tag(const std::vector<ElfMember>& files,
                                 const std::vector<std::string>& external) {
  if (files.empty()) return PlatformTag{"any"};
  TRY(const std::string arch, common_arch(files));
  TRY(const std::optional<pep::Libc> libc, libc_of(files));
  const std::set<std::string> provided = provided_elsewhere(files, external);
  if (libc == pep::Libc::musl) return musl_tag(files, provided, arch);
  PlatformTag result{"linux_" + arch};
  for (const Policy& policy : policies(arch)) {
    std::vector<std::string> against = objections(files, provided, policy, arch);
    if (against.empty()) {
      result.tag = "manylinux_2_" + std::to_string(policy.minor) + "_" + arch;
      return result;
    }
    result.reasons = std::move(against);
  }
  return result;
}

Result<std::vector<std::string>> policy_objections(const std::vector<ElfMember>& files,
                                                   const pep::LinuxPolicy& claimed,
                                                   const std::vector<std::string>& external) {
  if (files.empty()) return std::vector<std::string>{};
  TRY(const std::string arch, common_arch(files));
  TRY(const std::optional<pep::Libc> libc, libc_of(files));
  if (libc && *libc != claimed.libc) return needs_of_libc(files, *libc);
  const std::set<std::string> provided = provided_elsewhere(files, external);
  if (claimed.libc == pep::Libc::musl && claimed.minor >= kOldestMusl) {
    return musl_objections(files, provided, claimed.minor);
  }
  const Policy* const policy =
      claimed.libc == pep::Libc::glibc ? policy_of(arch, claimed) : nullptr;
  if (policy != nullptr) return objections(files, provided, *policy, arch);
  pep::LinuxPolicy any = claimed;
  any.arch = arch;
  return fail(ErrorKind::check, "no policy is as old as " + pep::to_string(any));
}

}  // namespace pinwheel::inspect
