#include "report/lines.h"

#include <fmt/format.h>

#include "base/visible_text.h"

namespace pinwheel::report {

void Lines::add(std::string_view label, const std::string& value) {
  text_ += fmt::format("  {:<16} {}\n", label == last_ ? "" : label, visible(value));
  last_ = label;
}

}  // namespace pinwheel::report
