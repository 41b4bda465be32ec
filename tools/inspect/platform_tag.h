#pragma once
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "binary/code_use.h"
#include "binary/elf.h"
#include "pep/tag.h"

namespace pinwheel::inspect {

/// One ELF file of a wheel.
struct ElfMember {
  std::string name;  ///< in the wheel
  binary::Elf elf;
  binary::CodeUse code = {};
};

/// The platform tag that a set of ELF files justifies, and the reason against an older one.
struct PlatformTag {
  std::string tag;  ///< "manylinux_2_28_x86_64", "musllinux_1_2_x86_64", "linux_x86_64", or "any"
  std::vector<std::string> reasons = {};  ///< why not the next older policy, with file and version
};

/// The names by which the wheel's libraries are found: sonames and file names.
std::set<std::string> own_sonames(const std::vector<ElfMember>& files);

/// How a file announces packed relative relocations (DT_RELR). glibc supports them since 2.36, and
/// rejects a library that names versions of `libc.so.6` but not `GLIBC_ABI_DT_RELR`.
enum class PackedRelocations {
  none,
  announced,    ///< with `GLIBC_ABI_DT_RELR`, which no older glibc has
  unversioned,  ///< without any version of `libc.so.6`: older ones load it without relocating it
  unannounced,  ///< no glibc loads it correctly
};
PackedRelocations packed_relocations(const binary::Elf& elf);
inline constexpr int kPackedSince = 36;  ///< of glibc 2

/// Whether it is one of torch's libraries: "libtorch_cuda.so", "libc10.so".
bool is_torch_library(const std::string& soname);

/// Whether another distribution or the driver provides that library at run time: torch's, NVIDIA's
/// and AMD's libraries, and the names or globs in `external`.
bool is_external_library(const std::string& soname, const std::vector<std::string>& external);

/// The oldest manylinux policy that allows every version that the files need and has every library
/// that neither the wheel nor `external` provides; for files that need musl, its newest policy.
/// `linux_<arch>` when there is none, "any" for no files. Kind `check` for files of several or
/// unknown architectures, or of two C libraries.
Result<PlatformTag> platform_tag(const std::vector<ElfMember>& files,
                                 const std::vector<std::string>& external = {});

/// The violations of a policy, each with file and version or library; a minor without a policy of
/// its own counts as the next older policy. Kind `check` for an architecture or a minor without any
/// policy, and for files of two C libraries.
Result<std::vector<std::string>> policy_objections(const std::vector<ElfMember>& files,
                                                   const pep::LinuxPolicy& claimed,
                                                   const std::vector<std::string>& external = {});

}  // namespace pinwheel::inspect
