#include "ci/own_lines.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/text.h"

namespace pinwheel::ci {
namespace {

constexpr std::string_view kBegin = "# pinwheel: keep ";
constexpr std::string_view kEnd = "# pinwheel: end";

struct Block {
  int line;  ///< where it begins, from 1
  std::vector<std::string> lines;
};
using Blocks = std::map<std::string, Block>;

std::optional<std::string> begins(std::string_view line) {
  const std::string_view text = trim(line);
  if (!text.starts_with(kBegin)) return std::nullopt;
  return std::string(trim(text.substr(kBegin.size())));
}

bool ends(std::string_view line) {
  return trim(line) == kEnd;
}

std::vector<std::string> lines_of(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return split(text, '\n');
}

Error wrong_block(const std::string& file, int line, std::string message, std::string hint) {
  Error error{ErrorKind::config, std::move(message)};
  error.at = Location{file, line, 0, {}};
  error.hint = std::move(hint);
  return error;
}

Result<Blocks> blocks_of(std::string_view text, const std::string& file) {
  Blocks blocks;
  std::optional<std::string> open;
  int number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    if (const auto name = begins(line)) {
      if (open || blocks.contains(*name)) {
        return fail(wrong_block(
            file, number,
            open ? fmt::format("{} begins inside {}", quoted(*name), quoted(*open))
                 : fmt::format("{} occurs twice", quoted(*name)),
            open ? fmt::format("end a block with {}", quoted(kEnd)) : "join the two blocks"));
      }
      blocks[*name].line = number;
      open = name;
    } else if (ends(line)) {
      open.reset();
    } else if (open) {
      blocks[*open].lines.push_back(line);
    }
  }
  if (open) {
    return fail(wrong_block(file, blocks[*open].line, fmt::format("{} has no end", quoted(*open)),
                            fmt::format("end the block with {}", quoted(kEnd))));
  }
  return blocks;
}

}  // namespace

Result<std::string> with_own_lines(std::string_view generated, std::string_view existing,
                                   const std::string& file) {
  TRY(const Blocks blocks, blocks_of(existing, file));
  std::set<std::string> placed;
  std::string text;
  for (const std::string& line :
       generated.empty() ? std::vector<std::string>() : lines_of(generated)) {
    text += line + "\n";
    const auto name = begins(line);
    if (!name) continue;
    placed.insert(*name);
    const auto own = blocks.find(*name);
    if (own == blocks.end()) continue;
    for (const std::string& each : own->second.lines) text += each + "\n";
  }
  for (const auto& [name, block] : blocks) {
    if (placed.contains(name) || block.lines.empty()) continue;
    if (generated.empty()) {
      return fail(wrong_block(
          file, block.line,
          fmt::format("the matrix no longer generates this file, and {} has lines", quoted(name)),
          "move them to a generated file, or delete this file"));
    }
    return fail(wrong_block(
        file, block.line, fmt::format("the generated file has no place for {}", quoted(name)),
        fmt::format("move its lines to one of {}",
                    quoted_list(std::vector<std::string>(placed.begin(), placed.end())))));
  }
  return text;
}

}  // namespace pinwheel::ci
