#pragma once
#include <cstddef>
#include <optional>
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

/// The compute that a whole label stands for, the inverse of the two above: "cuda" and "13.0" of
/// "cu130", "cuda" and "12" of "cu12", "rocm" and "7.1" of "rocm7.1" and "rocm71"; also of
/// "cuda12.8". nullopt for other text, such as a declared label.
std::optional<Compute> compute_of_label(std::string_view label);
/// The compute of the first label in a local version, with any text around it: "pt213cu130",
/// "torch2.9.cu128", "cu12torch2.9cxx11abitrue", "pt213rocm7.1", "pt213cpu". In lower case.
std::optional<Compute> compute_in_local_version(std::string_view local);

/// The part that an axis value contributes to ids: "cp310", "torch2.13", a label, or the value
/// reduced to the characters `[a-z0-9._-]`.
std::string id_part(std::string_view axis, std::string_view value);

/// Orders values as versions: negative when a is older than b. Components compare as numbers, a
/// value that does not start with a digit (`nightly`) is newer than any number, and families
/// (`cpu`, `cuda/…`) compare by name, then by version.
int compare_versions(std::string_view a, std::string_view b);

}  // namespace pinwheel::matrix
