#include "ci/pins.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/text.h"

namespace pinwheel::ci {
namespace {

bool is_commit(std::string_view text) {
  return text.size() == 40 &&
         std::ranges::all_of(text, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (std::string& word : split(trim(line), ' ')) {
    if (!word.empty()) words.push_back(std::move(word));
  }
  return words;
}

}  // namespace

std::string pinned(std::string_view action) {
  return pinned(action, {});
}

std::string pinned(std::string_view action, std::string_view below) {
  const auto* const found = std::ranges::find(kPins, action, &Pin::action);
  if (found == kPins.end()) throw std::logic_error("an action without a pin");
  return fmt::format("{}{}{}@{} # {}", found->action, below.empty() ? "" : "/", below,
                     found->commit, found->version);
}

Result<std::vector<Update>> updates_in(std::string_view text, const std::string& file) {
  std::vector<Update> updates;
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    const std::vector<std::string> words = words_of(line);
    if (words.empty() || words.front().starts_with('#')) continue;
    if (words.size() != 3 || !is_commit(words[2])) {
      Error error{ErrorKind::config, "a line must be `ACTION VERSION COMMIT`"};
      error.at = Location{file, number, 0, line};
      error.hint = "write `actions/checkout v7.0.1` and the 40 hexadecimal digits of its commit";
      return fail(std::move(error));
    }
    const auto* const pin = std::ranges::find(kPins, words[0], &Pin::action);
    if (pin == kPins.end() || pin->commit == words[2]) continue;
    updates.push_back({*pin, words[1], words[2]});
  }
  return updates;
}

}  // namespace pinwheel::ci
