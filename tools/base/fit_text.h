#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel {

/// The columns of a text on a terminal, one for each UTF-8 character.
size_t columns_of(std::string_view text);

/// The text in lines of at most `width` columns, wrapped at blanks. A longer word is broken after
/// one of `,|/-=:@_.` if it contains one, else anywhere. One empty line for an empty text.
std::vector<std::string> wrap_words(std::string_view text, size_t width);

/// The text with each line that is longer than `width` wrapped as by `wrap_words`. The following
/// lines are indented to the last column of the line, which begins after two blanks or more, or by
/// two more than the line, unless it is deeply indented already. A width of 0 is unlimited.
std::string fit_lines(std::string_view text, size_t width);

}  // namespace pinwheel
