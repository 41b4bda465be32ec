#include "init/auditwheel.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "base/text.h"
#include "init/shell_words.h"

namespace pinwheel::init {
namespace {

using Words = std::span<const std::string>;

/// The words behind `auditwheel repair`; nullptr as data for another command.
Words arguments_of_auditwheel(Words command) {
  if (command.size() > 2 && command[0].starts_with("python") && command[1] == "-m") {
    command = command.subspan(2);
  }
  const bool is_auditwheel =
      command.size() > 1 && command[0] == "auditwheel" && command[1] == "repair";
  return is_auditwheel ? command.subspan(2) : Words{};
}

class RepairReader {
 public:
  RepairWords read(Words words) {
    while (!words.empty()) {
      constexpr std::array<std::string_view, 4> kOperators = {"&&", ";", "||", "|"};
      const auto end =
          std::find_first_of(words.begin(), words.end(), kOperators.begin(), kOperators.end());
      take_command({words.begin(), end});
      words = {end == words.end() ? end : std::next(end), words.end()};
    }
    return std::move(result_);
  }

 private:
  void take_command(Words command) {
    while (!command.empty() && command[0].find('=') != std::string::npos) {
      leave_out(command.first(1));
      command = command.subspan(1);
    }
    const Words arguments = arguments_of_auditwheel(command);
    if (arguments.data() == nullptr) return leave_out(command);
    for (size_t at = 0; at < arguments.size(); ++at) at = take_argument(arguments, at);
  }

  /// Returns the index of the last word that belongs to this argument.
  size_t take_argument(Words arguments, size_t at) {
    constexpr std::string_view kExclude = "--exclude=";
    const std::string& word = arguments[at];
    const bool has_next = at + 1 < arguments.size();
    if (word.starts_with(kExclude)) {
      result_.external.push_back(word.substr(kExclude.size()));
    } else if (word == "--exclude" && has_next) {
      result_.external.push_back(arguments[at + 1]);
      return at + 1;
    } else if ((word == "-w" || word == "--wheel-dir") && has_next) {
      return at + 1;
    } else if (word != "{wheel}" && word != "-v" && word != "--verbose" &&
               !word.starts_with("--wheel-dir=")) {
      leave_out(arguments.subspan(at, 1));
    }
    return at;
  }

  void leave_out(Words words) {
    for (const std::string& word : words)
      result_.others += (result_.others.empty() ? "" : " ") + word;
  }

  RepairWords result_;
};

}  // namespace

RepairWords read_repair_command(const std::string& command) {
  // A list of commands is joined by `&&`, with nothing between in an empty one.
  if (trim(command).empty()) return {true};
  return RepairReader().read(shell_words(replace_all(command, "\n", " ; ")));
}

}  // namespace pinwheel::init
