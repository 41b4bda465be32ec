#pragma once
#include <span>
#include <string>
#include <string_view>

namespace pinwheel::inspect {

/// The newest symbol versions that a manylinux policy allows (PEP 600; auditwheel's profiles).
/// Empty allows none.
struct Policy {
  int minor = 0;  ///< 28 of manylinux_2_28
  std::string_view glibc;
  std::string_view glibcxx;
  std::string_view cxxabi;
  std::string_view gcc;
  std::string_view zlib;
  std::string_view libatomic;
};

/// The policies of an architecture ("x86_64", "aarch64"), oldest first; empty for others.
std::span<const Policy> policies(std::string_view arch);
/// Whether every system of the policy has that library: "libm.so.6".
bool is_system_library(std::string_view soname, const Policy& policy);
/// Whether the policy allows that version: "GLIBC_2.34". A name of an unknown family ("OMP_1.0",
/// "libcudart.so.12") is outside the policy and allowed.
bool allows_version(const Policy& policy, std::string_view arch, std::string_view version);

}  // namespace pinwheel::inspect
