#include <fmt/format.h>

#include <map>

#include "base/text.h"
#include "matrix/axis_value.h"
#include "matrix/config_error.h"
#include "matrix/decode.h"

namespace pinwheel::matrix {
namespace {

Done check_channels(const Node& rule, const Node* channels) {
  const Node* const node = rule.find("channels");
  if (node == nullptr) return {};
  std::vector<std::string> names;
  if (channels != nullptr) {
    for (const Node::Member& member : channels->members) names.push_back(member.key);
  }
  for (const Node& name : node->items) {
    if (channels == nullptr || channels->find(name.scalar) == nullptr) {
      return fail(config_error(
          fmt::format("unknown channel {}", quoted(name.scalar)), name.at,
          names.empty() ? "the matrix declares no `channels`" : suggest(name.scalar, names)));
    }
  }
  return {};
}

Result<SupportRule> decode_rule(const Node& node, const Node* channels, const Matrix& matrix) {
  static const std::map<std::string, Status> kStatus = {{"supported", Status::supported},
                                                        {"experimental", Status::experimental},
                                                        {"unmaintained", Status::unmaintained},
                                                        {"unsupported", Status::unsupported}};
  SupportRule rule;
  rule.at = node.at;
  TRY(rule.when, decode_when(*node.find("when"), matrix));
  if (const Node* const only = node.find("only")) {
    TRY(rule.only, decode_when(*only, matrix));
  }
  if (const Node* const status = node.find("status")) rule.status = kStatus.at(status->scalar);
  if (const Node* const limit = node.find("channels")) rule.channels = strings_of(*limit);
  rule.because = text_or(node, "because", "");
  TRY_DONE(check_channels(node, channels));
  const bool idle = !rule.status && rule.only.empty() && rule.channels.empty();
  if (idle && rule.because.empty()) {
    return fail(config_error("the rule has no effect", node.at,
                             "add `status`, `only`, `channels` or `because`"));
  }
  return rule;
}

/// "2.10" of "stable(2.10)".
std::string argument_of(const std::string& call) {
  const size_t open = call.find('(') + 1;
  return call.substr(open, call.size() - open - 1);
}

/// The first value of an axis, those of `include` included, that the predicate rejects.
template <class Predicate>
std::string find_value(const Matrix& matrix, std::string_view axis, Predicate is_wrong) {
  for (const Axis& each : matrix.axes) {
    if (each.name != axis) continue;
    for (const std::string& value : each.values) {
      if (is_wrong(value)) return value;
    }
  }
  for (const Row& row : matrix.include) {
    for (const auto& [name, value] : row.values) {
      if (name == axis && is_wrong(value)) return value;
    }
  }
  return {};
}

Done decode_python_abi(const Node& node, const Matrix& matrix, Abi& abi) {
  abi.python = node.scalar == "none" ? PythonAbi::none : PythonAbi::version;
  if (!node.scalar.starts_with("limited")) return {};
  abi.python = PythonAbi::limited;
  abi.python_else_version = node.scalar.ends_with("else version");
  abi.python_limited = argument_of(node.scalar.substr(0, node.scalar.find(' ')));
  if (abi.python_else_version) return {};
  const std::string wrong = find_value(matrix, "python", [&](const std::string& value) {
    return value.ends_with('t') || compare_versions(value, abi.python_limited) < 0;
  });
  if (wrong.empty()) return {};
  return fail(config_error(fmt::format("python {} of the matrix cannot load a {} wheel",
                                       quoted(wrong), quoted(node.scalar)),
                           node.at,
                           wrong.ends_with('t')
                               ? "a free-threaded Python has no limited API; use `version`, or "
                                 "`limited(X.Y) else version`"
                               : "lower the limit, remove that Python, or give it a build of its "
                                 "own by `limited(X.Y) else version`"));
}

Done decode_torch_abi(const Node& node, const Matrix& matrix, Abi& abi) {
  abi.torch = node.scalar == "none" ? TorchAbi::none : TorchAbi::minor;
  if (!node.scalar.starts_with("stable")) return {};
  abi.torch = TorchAbi::stable;
  abi.torch_stable = argument_of(node.scalar);
  const std::string wrong = find_value(matrix, "torch", [&](const std::string& value) {
    return compare_versions(value, abi.torch_stable) < 0;
  });
  if (wrong.empty()) return {};
  return fail(config_error(fmt::format("torch {} of the matrix cannot load a {} wheel",
                                       quoted(wrong), quoted(node.scalar)),
                           node.at, "lower the target, or remove that torch"));
}

/// An `abi` section; a part that it does not set stays as it is in `abi`.
Result<Abi> decode_abi_section(const Node& node, const Matrix& matrix, Abi abi) {
  static const std::map<std::string, ComputeAbi> kValues = {
      {"none", ComputeAbi::none}, {"major", ComputeAbi::major}, {"exact", ComputeAbi::exact}};
  for (const Node::Member& member : node.members) {
    const bool declared =
        !find_value(matrix, member.key, [](const std::string&) { return true; }).empty();
    if (!declared) {
      return fail(config_error(fmt::format("the matrix has no {} axis", quoted(member.key)),
                               member.key_at));
    }
  }
  if (const Node* const python = node.find("python")) {
    TRY_DONE(decode_python_abi(*python, matrix, abi));
  }
  if (const Node* const torch = node.find("torch")) {
    TRY_DONE(decode_torch_abi(*torch, matrix, abi));
  }
  if (const Node* const compute = node.find("compute")) {
    abi.compute = kValues.at(compute->scalar);
  }
  return abi;
}

}  // namespace

Done decode_rules(const Node& root, Matrix& matrix) {
  const Node* const rules = root.find("rules");
  if (rules == nullptr) return {};
  for (const Node& node : rules->items) {
    TRY(SupportRule rule, decode_rule(node, root.find("channels"), matrix));
    matrix.rules.push_back(std::move(rule));
  }
  return {};
}

Done decode_abi(const Node& root, Matrix& matrix) {
  if (const Node* const node = root.find("abi")) {
    TRY(matrix.abi, decode_abi_section(*node, matrix, {}));
  }
  for (size_t i = 0; i < matrix.family.size(); ++i) {
    matrix.family[i].abi = matrix.abi;
    const Node* const own = root.find("family")->items[i].find("abi");
    if (own != nullptr) {
      TRY(matrix.family[i].abi, decode_abi_section(*own, matrix, matrix.abi));
    }
  }
  return {};
}

}  // namespace pinwheel::matrix
