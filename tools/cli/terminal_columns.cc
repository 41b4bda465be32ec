#include "cli/terminal_columns.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/parse_integer.h"

namespace pinwheel::cli {
namespace {

constexpr size_t kFewestColumns = 20;
constexpr size_t kLaunchersColumns = 80;

/// What `COLUMNS` names; 0 without a number.
size_t named_columns() {
  const char* const variable = std::getenv("COLUMNS");
  const int named = parse_integer(variable == nullptr ? "" : variable).value_or(0);
  return named > 0 ? std::max(static_cast<size_t>(named), kFewestColumns) : 0;
}

}  // namespace

size_t window_columns(int descriptor) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

size_t help_columns(int descriptor) {
  const size_t named = named_columns();
  return named > 0 ? named : window_columns(descriptor);
}

size_t terminal_columns(int descriptor) {
  if (isatty(descriptor) == 1) return help_columns(descriptor);
  const size_t named = named_columns();
  return named < kLaunchersColumns ? named : 0;
}

}  // namespace pinwheel::cli
