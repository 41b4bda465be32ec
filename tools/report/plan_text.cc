#include "report/plan_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/text.h"
#include "base/visible_text.h"
#include "matrix/status_name.h"

namespace pinwheel::report {
namespace {

std::string lines(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += item + "\n";
  return out;
}

std::string cell_text(const plan::SupportCell& cell) {
  std::string text = cell.support == plan::Support::yes ? "Yes" : "No";
  for (const int note : cell.notes) text += fmt::format("[{}]", note);
  return text;
}

}  // namespace

std::string align_columns(std::vector<std::vector<std::string>> rows) {
  std::vector<size_t> widths;
  for (std::vector<std::string>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (size_t i = 0; i < row.size(); ++i) {
      row[i] = visible(row[i]);
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string out;
  for (const std::vector<std::string>& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string variant_ids(const plan::Outline& outline) {
  std::vector<std::string> ids;
  for (const matrix::Variant& variant : outline.variants) ids.push_back(variant.id);
  return lines(ids);
}

std::string build_ids(const plan::Outline& outline) {
  std::vector<std::string> ids;
  for (const plan::BuildGroup& group : outline.builds) ids.push_back(group.cls.id);
  return lines(ids);
}

std::string plan_table(const plan::Outline& outline, const std::vector<plan::ImageTest>& images) {
  std::unordered_map<std::string_view, const plan::BuildGroup*> build_of;
  for (const plan::BuildGroup& group : outline.builds) {
    for (const std::string& test : group.tests) build_of[test] = &group;
  }
  const bool on_images = !images.empty();
  std::vector<std::vector<std::string>> rows = {{"variant", "build", "status", "channels"}};
  if (on_images) rows[0].emplace_back("tested on");
  for (const matrix::Variant& variant : outline.variants) {
    const plan::BuildGroup& group = *build_of.at(variant.id);
    const bool builds_it = group.cls.representative == variant.id;
    rows.push_back({variant.id, "build:" + group.cls.id + (builds_it ? " *" : ""),
                    std::string(matrix::to_string(variant.status)), join(variant.channels, ",")});
    if (on_images) rows.back().push_back(join(plan::images_of(images, variant.id), ","));
  }
  const std::string more = on_images ? fmt::format(" and {} on images", images.size()) : "";
  return align_columns(rows) + "\n" + plan::summary_line(outline) + more +
         " (* builds the wheel of its class)\n";
}

std::string support_table(const plan::SupportTable& table) {
  std::vector<std::vector<std::string>> rows = {{""}};
  for (const std::string& column : table.columns) rows[0].push_back(column);
  for (const auto& [title, cells] : table.rows) {
    std::vector<std::string> row = {title};
    for (const plan::SupportCell& cell : cells) row.push_back(cell_text(cell));
    rows.push_back(std::move(row));
  }
  std::string out = align_columns(rows);
  if (!table.notes.empty()) out += "\n";
  for (size_t i = 0; i < table.notes.size(); ++i) {
    out += fmt::format("[{}] {}\n", i + 1, table.notes[i]);
  }
  return out;
}

std::string plan_dot(const plan::Plan& plan) {
  std::string out = "digraph pinwheel {\n  rankdir=LR;\n  node [shape=box];\n";
  for (const plan::Step& step : plan.steps) {
    out += fmt::format("  \"{}\";\n", step.id);
    for (const std::string& need : step.needs) {
      out += fmt::format("  \"{}\" -> \"{}\";\n", need, step.id);
    }
  }
  return out + "}\n";
}

}  // namespace pinwheel::report
