#pragma once
#include <string>
#include <string_view>

namespace pinwheel::pep {

/// PyPI and its test instance; every address of theirs is built from these names.
inline constexpr std::string_view kPypiHost = "pypi.org";
inline constexpr std::string_view kTestPypiHost = "test.pypi.org";
/// The domain under which PyPI keeps its files.
inline constexpr std::string_view kPypiFilesDomain = "pythonhosted.org";

/// The simple index of one of the hosts (PEP 503), ending in `/`.
std::string simple_url(std::string_view host);
/// Where PyPI's files lie, without a `/` at its end.
std::string pypi_files_url();

}  // namespace pinwheel::pep
