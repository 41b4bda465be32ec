#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel {

/// The columns that a text takes on a terminal, one for each character of UTF-8.
size_t columns_of(std::string_view text);

/// The text in lines of at most `width` columns, broken at blanks. A word that is longer is broken
/// behind one of `,|/-=:@_.` where it has one, else anywhere. One empty line for an empty text.
std::vector<std::string> wrap_words(std::string_view text, size_t width);

/// The text with each line that is longer than `width` broken as by `wrap_words`. What follows is
/// indented to the last column of the line, which begins behind two blanks or more, or by two more
/// than the line, if that is not far in already. A width of 0 is unlimited.
std::string fit_lines(std::string_view text, size_t width);

}  // namespace pinwheel
