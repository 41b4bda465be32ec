#include "project/workflow.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "base/text.h"

namespace pinwheel::project {
namespace {

// Limits on input: real workflows are far smaller. The parser may use 260 bytes for one byte of the
// text, aliases multiply the nodes, and no real matrix has so many values of a kind.
constexpr size_t kMostBytes = 512'000;
constexpr size_t kMostRead = 100'000;
constexpr size_t kMostValues = 1'000;

void append_once(std::vector<std::string>& list, const std::string& value) {
  if (value.empty() || list.size() >= kMostValues) return;
  if (std::ranges::find(list, value) == list.end()) list.push_back(value);
}

/// The facts read from a workflow, and the number of nodes read.
struct Reading {
  Workflow workflow;
  size_t read = 0;

  /// False once the limit is reached: the rest is not read.
  bool next() { return ++read <= kMostRead; }
};

bool is_number_list(std::string_view text) {
  return !text.empty() && is_digit(text.front()) && is_digit(text.back()) &&
         text.find_first_not_of("0123456789.") == std::string_view::npos;
}

/// "3.12" of "3.12", "3.12.4" and "cp312", with a `t` of free-threaded ones; else empty.
std::string python_of(std::string value) {
  if (value.starts_with("cp3")) value = "3." + value.substr(3, value.find_first_of("-_* ") - 3);
  const bool threads = value.ends_with("t");
  if (threads) value.pop_back();
  const std::vector<std::string> parts = split(value, '.');
  if (!is_number_list(value) || parts.size() < 2 || parts[0] != "3") return {};
  return fmt::format("3.{}{}", parts[1], threads ? "t" : "");
}

/// "12.6" of "12.6", "12.6.3", "cu126" and "cuda12.6"; else empty.
std::string cuda_of(std::string value) {
  value = to_lower(value);
  for (const std::string_view prefix : {"cuda", "cu", "-", ":"}) {
    if (value.starts_with(prefix)) value.erase(0, prefix.size());
  }
  if (!is_number_list(value)) return {};
  const std::vector<std::string> parts = split(value, '.');
  if (parts.size() >= 2) return parts[0] + "." + parts[1];
  if (value.size() < 3) return {};
  return value.substr(0, value.size() - 1) + "." + value.back();
}

/// "2.10" of "2.10" and "2.10.1"; else empty.
std::string torch_of(const std::string& value) {
  const std::vector<std::string> parts = split(value, '.');
  return is_number_list(value) && parts.size() >= 2 ? parts[0] + "." + parts[1] : std::string();
}

/// The scalars of a node, which is one scalar or a list of them.
std::vector<std::string> scalars(const YAML::Node& node, Reading& reading) {
  std::vector<std::string> found;
  if (node.IsScalar()) found.push_back(node.Scalar());
  if (!node.IsSequence()) return found;
  for (const YAML::Node& each : node) {
    if (!reading.next()) break;
    if (each.IsScalar()) found.push_back(each.Scalar());
  }
  return found;
}

void read_matrix_key(const std::string& key, const YAML::Node& value, Reading& reading) {
  Workflow& workflow = reading.workflow;
  const std::string name = to_lower(key);
  const auto has = [&name](std::string_view word) { return name.find(word) != std::string::npos; };
  for (const std::string& each : scalars(value, reading)) {
    if (has("torch")) append_once(workflow.torches, torch_of(each));
    if (has("cuda") || name == "cu") append_once(workflow.cudas, cuda_of(each));
    if (has("python") || name == "py" || name == "pyver") {
      append_once(workflow.pythons, python_of(each));
    }
  }
}

void read_matrix(const YAML::Node& matrix, Reading& reading) {
  if (!matrix.IsMap()) return;
  for (const auto& member : matrix) {
    if (!reading.next()) return;
    const std::string key = member.first.as<std::string>("");
    if (key == "exclude") continue;
    if (key != "include") {
      read_matrix_key(key, member.second, reading);
      continue;
    }
    for (const YAML::Node& row : member.second) {
      if (!reading.next()) return;
      if (!row.IsMap()) continue;
      for (const auto& cell : row) {
        if (!reading.next()) return;
        read_matrix_key(cell.first.as<std::string>(""), cell.second, reading);
      }
    }
  }
}

void read_variables(const YAML::Node& variables, Reading& reading) {
  Workflow& workflow = reading.workflow;
  if (!variables.IsMap()) return;
  for (const auto& member : variables) {
    if (!reading.next()) return;
    const std::string name = member.first.as<std::string>("");
    if (!name.starts_with("CIBW_") || !member.second.IsScalar()) continue;
    const std::string value = member.second.Scalar();
    if (value.find("${{") != std::string::npos) {
      append_once(workflow.computed, name);
    } else {
      workflow.cibuildwheel.emplace_back(name, value);
    }
  }
}

YAML::Node child(const YAML::Node& node, const std::string& key) {
  return node.IsMap() && node[key] ? node[key] : YAML::Node();
}

Reading read_workflow(const YAML::Node& document) {
  Reading reading;
  read_variables(child(document, "env"), reading);
  const YAML::Node jobs = child(document, "jobs");
  if (!jobs.IsMap()) return reading;
  for (const auto& job : jobs) {
    read_matrix(child(child(job.second, "strategy"), "matrix"), reading);
    read_variables(child(job.second, "env"), reading);
    for (const YAML::Node& step : child(job.second, "steps")) {
      if (!reading.next()) return reading;
      read_variables(child(step, "env"), reading);
    }
  }
  return reading;
}

}  // namespace

Result<Workflow> parse_workflow(std::string_view text, const std::string& file) {
  if (text.size() > kMostBytes) {
    return fail(ErrorKind::config, fmt::format("{} has {} bytes, more than {}",
                                               quoted(last_part(file)), text.size(), kMostBytes));
  }
  try {
    Reading reading = read_workflow(YAML::Load(std::string(text)));
    if (reading.next()) return std::move(reading.workflow);
    return fail(ErrorKind::config, fmt::format("{} has more than {} values, with its aliases",
                                               quoted(last_part(file)), kMostRead));
  } catch (const YAML::Exception& broken) {
    return fail(Error{ErrorKind::config,
                      fmt::format("{} is not valid YAML", quoted(last_part(file))),
                      Location{file, broken.mark.line + 1, broken.mark.column + 1, {}}});
  }
}

Workflow merged(Workflow first, const Workflow& second) {
  for (const std::string& value : second.pythons) append_once(first.pythons, value);
  for (const std::string& value : second.cudas) append_once(first.cudas, value);
  for (const std::string& value : second.torches) append_once(first.torches, value);
  for (const std::string& name : second.computed) append_once(first.computed, name);
  first.cibuildwheel.insert(first.cibuildwheel.end(), second.cibuildwheel.begin(),
                            second.cibuildwheel.end());
  return first;
}

}  // namespace pinwheel::project
