#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace pinwheel::inspect {

/// The fault of an entry of a library's RPATH or RUNPATH, in words; empty for an entry that stays
/// inside site-packages. `installed` is the library's path there: "demo/_C.so".
std::string search_path_fault(std::string_view entry, std::string_view installed);

/// The directory that a valid entry refers to, relative to site-packages, without `.` and `..`:
/// "demo/lib"; empty for site-packages itself; nullopt for an entry with a fault.
std::optional<std::string> searched_directory(std::string_view entry, std::string_view installed);

/// The entry that refers to `directory` for a library installed at `installed`:
/// "$ORIGIN/../demo.libs".
std::string search_path_entry(std::string_view directory, std::string_view installed);

}  // namespace pinwheel::inspect
