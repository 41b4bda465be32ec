#include "report/github_command.h"

#include <utility>

#include "base/text.h"
#include "base/visible_text.h"

namespace pinwheel::report {

std::string github_message(std::string_view text) {
  return github_data(without_commands(visible_lines(text)));
}

std::string github_data(std::string_view text) {
  std::string out = replace_all(std::string(text), "%", "%25");
  out = replace_all(std::move(out), "\r", "%0D");
  return replace_all(std::move(out), "\n", "%0A");
}

std::string github_property(std::string_view text) {
  return replace_all(replace_all(github_message(text), ":", "%3A"), ",", "%2C");
}

}  // namespace pinwheel::report
