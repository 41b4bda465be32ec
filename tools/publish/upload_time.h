#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace pinwheel::publish {

using UploadTime = std::chrono::sys_time<std::chrono::microseconds>;

/// "2026-01-02T03:04:05.678901Z": UTC with six digits of the second, as PEP 700 writes the upload
/// time of a file.
std::string to_upload_time(std::chrono::system_clock::time_point time);

/// The inverse, for pages of other programs too: any number of digits of the second, or none, and
/// an offset instead of `Z`. nullopt for any other text.
std::optional<UploadTime> parse_upload_time(std::string_view text);

/// The day at the beginning of an upload time, whatever follows it; nullopt if there is none.
std::optional<std::chrono::sys_days> parse_upload_day(std::string_view text);

}  // namespace pinwheel::publish
