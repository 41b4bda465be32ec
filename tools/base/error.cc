#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include "base/visible_text.h"

namespace pinwheel {
namespace {

struct KindEntry {
  ErrorKind kind;
  std::string_view name;
  int exit_code;
};

constexpr std::array kKinds = {
    KindEntry{ErrorKind::usage, "usage", 2},
    KindEntry{ErrorKind::config, "config", 2},
    KindEntry{ErrorKind::nothing_selected, "nothing-selected", 3},
    KindEntry{ErrorKind::step, "step", 1},
    KindEntry{ErrorKind::timeout, "timeout", 1},
    KindEntry{ErrorKind::unfinished, "unfinished", 8},
    KindEntry{ErrorKind::transient, "transient", 4},
    KindEntry{ErrorKind::out_of_memory, "out-of-memory", 1},
    KindEntry{ErrorKind::environment, "environment", 4},
    KindEntry{ErrorKind::check, "check", 5},
    KindEntry{ErrorKind::unplanned_wheel, "unplanned-wheel", 5},
    KindEntry{ErrorKind::publish, "publish", 6},
    KindEntry{ErrorKind::drift, "drift", 7},
    KindEntry{ErrorKind::interrupted, "interrupted", 130},
    KindEntry{ErrorKind::terminated, "terminated", 143},
    KindEntry{ErrorKind::internal, "internal", 70},
};

const KindEntry& entry(ErrorKind kind) {
  return *std::find_if(kKinds.begin(), kKinds.end(),
                       [kind](const KindEntry& e) { return e.kind == kind; });
}

struct Paint {
  Color color;
  std::string operator()(std::string_view code, std::string_view text) const {
    if (color == Color::never) return std::string(text);
    return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
  }
};

/// The text before the caret. A tab remains a tab, so that the caret lines up on any terminal.
std::string caret_lead(const Location& at) {
  const auto column = static_cast<size_t>(at.column);
  std::string lead = visible_lines(at.excerpt) == at.excerpt
                         ? at.excerpt.substr(0, column - 1)
                         : visible_lines(std::string_view(at.excerpt).substr(0, column - 1));
  lead.resize(std::max(lead.size(), column - 1), ' ');
  std::replace_if(
      lead.begin(), lead.end(), [](char c) { return c != '\t'; }, ' ');
  return lead;
}

void render_location(std::string& out, const Location& at, const Paint& paint) {
  const std::string file = visible(at.file);
  if (at.line <= 0) {
    out += fmt::format("  {} {}\n", paint("34", "-->"), file);
    return;
  }
  if (at.column <= 0) {
    out += fmt::format("  {} {}:{}\n", paint("34", "-->"), file, at.line);
  } else {
    out += fmt::format("  {} {}:{}:{}\n", paint("34", "-->"), file, at.line, at.column);
  }
  if (at.excerpt.empty()) return;
  const std::string number = std::to_string(at.line);
  const std::string margin(number.size(), ' ');
  out += fmt::format("  {} {}\n", margin, paint("34", "|"));
  out +=
      fmt::format("  {} {} {}\n", paint("34", number), paint("34", "|"), visible_lines(at.excerpt));
  if (at.column <= 0) return;
  const std::string lead = caret_lead(at);
  out += fmt::format("  {} {} {}{}\n", margin, paint("34", "|"), lead, paint("31", "^"));
}

void render_one(std::string& out, std::string_view head, const Error& error, const Paint& paint) {
  out += fmt::format("{}: {}\n", head, visible_lines(error.message));
  if (error.at) render_location(out, *error.at, paint);
  for (const Error& cause : error.causes) render_one(out, "caused by", cause, paint);
  if (!error.hint.empty())
    out += fmt::format("{}: {}\n", paint("36", "hint"), visible_lines(error.hint));
}

}  // namespace

std::string_view to_string(ErrorKind kind) {
  return entry(kind).name;
}

std::optional<ErrorKind> parse_error_kind(std::string_view name) {
  for (const KindEntry& e : kKinds) {
    if (e.name == name) return e.kind;
  }
  return std::nullopt;
}

int exit_code(ErrorKind kind) {
  return entry(kind).exit_code;
}

ErrorKind kind_of_stop(int signal) {
  return signal == SIGINT ? ErrorKind::interrupted : ErrorKind::terminated;
}

Error&& Error::with_hint(std::string text) && {
  hint = std::move(text);
  return std::move(*this);
}

Error&& Error::with_cause(Error cause) && {
  causes.push_back(std::move(cause));
  return std::move(*this);
}

Error&& Error::with_location(Location place) && {
  at = std::move(place);
  return std::move(*this);
}

std::string render(const Error& error, Color color) {
  const Paint paint{color};
  std::string out;
  render_one(out, paint("1;31", "error"), error, paint);
  return out;
}

std::string render_warning(const Error& warning, Color color) {
  const Paint paint{color};
  std::string out;
  render_one(out, paint("1;33", "warning"), warning, paint);
  return out;
}

}  // namespace pinwheel
