#include "report/upstream_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"
#include "report/table.h"

namespace pinwheel::report {
namespace {

using UpstreamJson = nlohmann::ordered_json;

std::string place_text(const Location& at) {
  return at.line > 0 ? fmt::format("{}:{}", at.file, at.line) : at.file;
}

UpstreamJson place_json(const Location& at) {
  UpstreamJson json = {{"file", at.file}};
  if (at.line > 0) json["line"] = at.line;
  return json;
}

}  // namespace

std::string upstream_text(const exports::Upstream& upstream, size_t width) {
  if (upstream.changes.empty()) return "the axes are up to date\n";
  std::vector<std::vector<std::string>> rows = {{"change", "axis", "value", "detail"}};
  for (const exports::UpstreamChange& each : upstream.changes) {
    rows.push_back({std::string(to_string(each.event)), each.axis, each.value, each.detail});
  }
  std::string out = align_columns(rows, width);
  if (upstream.lines.empty()) return out;
  out += "\nlines to change:\n";
  for (const exports::UpstreamLine& line : upstream.lines) {
    out += fmt::format("  {}: {}\n", place_text(line.at), line.text);
  }
  return out;
}

std::string upstream_json(const exports::Upstream& upstream) {
  UpstreamJson json = {{"schema", "pinwheel-upstream/1"},
                       {"changes", UpstreamJson::array()},
                       {"lines", UpstreamJson::array()}};
  for (const exports::UpstreamChange& each : upstream.changes) {
    json["changes"].push_back({{"event", std::string(to_string(each.event))},
                               {"axis", each.axis},
                               {"value", each.value},
                               {"detail", each.detail},
                               {"at", place_json(each.at)}});
  }
  for (const exports::UpstreamLine& line : upstream.lines) {
    json["lines"].push_back({{"at", place_json(line.at)}, {"text", line.text}});
  }
  return json.dump(2, ' ', false, UpstreamJson::error_handler_t::replace) + "\n";
}

std::vector<Annotation> upstream_notices(const exports::Upstream& upstream) {
  std::vector<Annotation> out;
  for (const exports::UpstreamChange& each : upstream.changes) {
    const std::string title = "upstream: " + each.axis;
    auto notice = std::ranges::find(out, title, &Annotation::title);
    if (notice == out.end()) {
      notice = out.insert(out.end(), {AnnotationLevel::notice, title, "", each.at});
    } else {
      notice->message += "\n";
    }
    notice->message +=
        fmt::format("{} {}: {}", to_string(each.event), quoted(each.value), each.detail);
  }
  for (Annotation& notice : out) {
    for (const exports::UpstreamLine& line : upstream.lines) {
      if (line.at == *notice.at) notice.message += fmt::format("\nwrite {}", quoted(line.text));
    }
  }
  return out;
}

}  // namespace pinwheel::report
