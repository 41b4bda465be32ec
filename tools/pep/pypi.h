#pragma once
#include <string>
#include <string_view>

namespace pinwheel::pep {

/// PyPI and TestPyPI; every URL of theirs is built from these names.
inline constexpr std::string_view kPypiHost = "pypi.org";
inline constexpr std::string_view kTestPypiHost = "test.pypi.org";
/// The domain that serves PyPI's files.
inline constexpr std::string_view kPypiFilesDomain = "pythonhosted.org";

/// The simple index of one of the hosts (PEP 503), ending in `/`.
std::string simple_url(std::string_view host);
/// The base URL of PyPI's files, without a trailing `/`.
std::string pypi_files_url();

}  // namespace pinwheel::pep
