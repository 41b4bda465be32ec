#pragma once
#include <string>
#include <string_view>

namespace pinwheel {

// Text from outside (names in archives, metadata, YAML, replies of a server, logs) as people may
// see it. What a terminal would obey or not show becomes the escape of its code: control
// characters (`\x1b`, `\n`), C1 and everything without a shape of its own, such as marks of
// direction and spaces of no width (`\u202e`), and bytes that are not UTF-8 (`\xff`). Printable
// text stays as it is; so does a backslash, so that the escapes are for reading, not for decoding.

/// On one line: a line break and a tab are escaped too.
std::string visible(std::string_view text);
/// The same for several lines: a line break and a tab stay.
std::string visible_lines(std::string_view text);
/// The same for the output of a program: its colors stay too (the sequences `ESC [ ... m`), and a
/// carriage return ends a line.
std::string visible_output(std::string_view text);
/// The same for text of pinwheel's own, where each part from outside was made visible: what moves
/// the cursor up, returns it and erases below it stays as well.
std::string visible_drawing(std::string_view text);

/// The text without the commands of a GitHub Actions runner, which are `::NAME::` at the start of a
/// line, after blanks, and `##[NAME]` anywhere: `: :NAME::` and `## [NAME]`. For text that was made
/// visible: no other character hides the beginning of a line.
std::string without_commands(std::string_view text);

/// The same for a JSON document, which means the same afterwards: characters inside strings become
/// escapes of JSON. Bytes that are not UTF-8 stay.
std::string visible_json(std::string_view json);

}  // namespace pinwheel
