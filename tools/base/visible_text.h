#pragma once
#include <string>
#include <string_view>

namespace pinwheel {

// Makes external text (names in archives, metadata, YAML, replies of a server, logs) safe to show.
// Characters that a terminal would obey or not show become the escape of their code: control
// characters (`\x1b`, `
// `), C1 and everything without a shape of its own, such as marks of direction and spaces of no
// width (`\u202e`), and bytes that are not UTF-8 (`\xff`). Printable text is unchanged, including a
// backslash, so the escapes are for reading, not for decoding.

/// The text on one line: line breaks and tabs are escaped too.
std::string visible(std::string_view text);
/// The same for several lines: line breaks and tabs are unchanged.
std::string visible_lines(std::string_view text);
/// The same for the output of a program: its colors are unchanged too (the sequences `ESC [ ...
/// m`), and a carriage return ends a line.
std::string visible_output(std::string_view text);
/// The same for pinwheel's own text whose external parts are visible already: sequences that move
/// the cursor up, return it and erase below it are unchanged as well.
std::string visible_drawing(std::string_view text);

/// The text without workflow commands of a GitHub Actions runner, which are `::NAME::` at the start
/// of a line, after blanks, and `##[NAME]` anywhere: they become `: :NAME::` and `## [NAME]`. For
/// visible text: no other character hides the beginning of a line.
std::string without_commands(std::string_view text);

/// The same for a JSON document, without changing its meaning: characters inside strings become
/// escapes of JSON. Bytes that are not UTF-8 are unchanged.
std::string visible_json(std::string_view json);

}  // namespace pinwheel
