#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace pinwheel::matrix {

/// The axis of the C library, and its values: wheels for each have platform tags of their own.
inline constexpr std::string_view kLibcAxis = "libc";
inline constexpr std::string_view kGlibc = "glibc";
inline constexpr std::string_view kMusl = "musl";

/// The parts of a value of the compute axis: "cuda/13.0" is family "cuda", version "13.0"; "cpu"
/// has no version.
struct Compute {
  std::string family;
  std::string version;
};
Compute split_compute(std::string_view value);

/// The first `count` components of a version: leading(2, "11.7.1") is "11.7".
std::string leading(size_t count, std::string_view version);

/// "cu130", "cu12", "rocm7.1", "cpu": as in the names of PyTorch's indexes, without the patch
/// level; with 1 for `components`, "cu13".
std::string compute_label(std::string_view value, size_t components = 2);
/// The label with every version component, for values that differ in the patch level only:
/// "cu1171".
std::string full_compute_label(std::string_view value);

/// The part that an axis value contributes to ids: "cp310", "torch2.13", a label, or the value
/// reduced to the characters `[a-z0-9._-]`.
std::string id_part(std::string_view axis, std::string_view value);

/// Orders values as versions: negative when a is older than b. Components compare as numbers, a
/// value that does not start with a digit (`nightly`) is newer than any number, and families
/// (`cpu`, `cuda/…`) compare by name, then by version.
int compare_versions(std::string_view a, std::string_view b);

}  // namespace pinwheel::matrix
