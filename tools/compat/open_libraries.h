#pragma once
#include <string>
#include <vector>

namespace pinwheel::compat {

inline constexpr int kImportsFailed = 9;

/// The argv that opens libraries with RTLD_NOW as importing extensions does, each in a process of
/// its own, after torch and what else the request names was imported; then it imports the wheel's
/// modules itself. `request` is a file with what `to_json` gives, its paths below
/// `site_packages`; the answer for `parse_opened` is in the file `answer` once all are
/// open. Exits with `kImportsFailed` when what comes first does not import, else as Python does.
std::vector<std::string> open_libraries(const std::string& python, const std::string& request,
                                        const std::string& site_packages,
                                        const std::string& answer);

}  // namespace pinwheel::compat
