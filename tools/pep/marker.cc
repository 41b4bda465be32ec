// Grammar: or := and {"or" and}; and := one {"and" one}; one := "(" or ")" | operand operator
// operand. The marker is evaluated while it is parsed; both sides of `and` and `or` are always
// parsed, so that a syntax error is found in any environment.
#include "pep/marker.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.h"
#include "pep/name.h"
#include "pep/specifier.h"

namespace pinwheel::pep {
namespace {

constexpr std::array<std::string_view, 12> kVariables = {
    "python_full_version", "python_version",         "os_name",
    "sys_platform",        "platform_release",       "platform_system",
    "platform_version",    "platform_machine",       "platform_python_implementation",
    "implementation_name", "implementation_version", "extra"};
constexpr std::array<std::string_view, 9> kMarkerOperators = {
    "===", "~=", "==", "!=", "<=", ">=", "<", ">", "in"};

bool is_word(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

struct Operand {
  std::string variable;  ///< empty for a literal
  std::string value;
};

bool is_versioned(const Operand& operand) {
  return operand.variable == "python_version" || operand.variable == "python_full_version" ||
         operand.variable == "implementation_version";
}

/// The result of a version comparison; nullopt when a side is not a version or the operator does
/// not compare versions.
std::optional<bool> compare_versions(const std::string& left, const std::string& op,
                                     const std::string& right) {
  const Result<SpecifierSet> specifiers = parse_specifiers(op + right);
  const Result<Version> version = parse_version(left);
  if (!specifiers || specifiers->size() != 1 || !version) return std::nullopt;
  return satisfies(*version, *specifiers);
}

std::optional<bool> compare_text(const std::string& left, const std::string& op,
                                 const std::string& right) {
  if (op == "in") return right.find(left) != std::string::npos;
  if (op == "not in") return right.find(left) == std::string::npos;
  if (op == "==") return left == right;
  if (op == "!=") return left != right;
  if (op == "<") return left < right;
  if (op == "<=") return left <= right;
  if (op == ">") return left > right;
  if (op == ">=") return left >= right;
  return std::nullopt;
}

std::optional<bool> compare(const Operand& left, const std::string& op, const Operand& right) {
  if (left.variable == "extra" || right.variable == "extra") {
    return compare_text(normalize_name(left.value), op, normalize_name(right.value));
  }
  if (is_versioned(left) || is_versioned(right)) {
    const std::optional<bool> result = compare_versions(left.value, op, right.value);
    if (result) return result;
    if (op == "~=") return false;
  }
  return compare_text(left.value, op, right.value);
}

class Evaluator {
 public:
  Evaluator(std::string_view marker, const MarkerEnvironment& environment)
      : marker_(marker), rest_(marker), environment_(environment) {}

  Result<bool> evaluate() {
    TRY(const bool result, take_or());
    skip_space();
    if (!rest_.empty()) return malformed();
    return result;
  }

 private:
  tl::unexpected<Error> malformed() const {
    return fail(ErrorKind::config, quoted(marker_) + " is not an environment marker",
                "use the syntax of PEP 508, e.g. python_version < \"3.11\"");
  }

  void skip_space() { rest_ = trim(rest_); }

  bool take(std::string_view symbol) {
    skip_space();
    if (!rest_.starts_with(symbol)) return false;
    const bool word = is_word(symbol.back());
    if (word && rest_.size() > symbol.size() && is_word(rest_[symbol.size()])) return false;
    rest_.remove_prefix(symbol.size());
    return true;
  }

  Result<bool> take_or() {
    TRY(bool result, take_and());
    while (take("or")) {
      TRY(const bool next, take_and());
      result = result || next;
    }
    return result;
  }

  Result<bool> take_and() {
    TRY(bool result, take_one());
    while (take("and")) {
      TRY(const bool next, take_one());
      result = result && next;
    }
    return result;
  }

  Result<bool> take_one() {
    if (take("(")) {
      if (++depth_ > kDeepest) return malformed();
      TRY(const bool result, take_or());
      if (!take(")")) return malformed();
      --depth_;
      return result;
    }
    TRY(const Operand left, take_operand());
    const std::string op = take_operator();
    if (op.empty()) return malformed();
    TRY(const Operand right, take_operand());
    if (left.variable.empty() == right.variable.empty()) return malformed();
    const std::optional<bool> result = compare(left, op, right);
    if (!result) return malformed();
    return *result;
  }

  std::string take_operator() {
    if (take("not")) return take("in") ? "not in" : "";
    for (const std::string_view op : kMarkerOperators) {
      if (take(op)) return std::string(op);
    }
    return {};
  }

  Result<Operand> take_operand() {
    skip_space();
    if (!rest_.empty() && (rest_.front() == '\'' || rest_.front() == '"')) {
      const size_t end = rest_.find(rest_.front(), 1);
      if (end == std::string_view::npos) return malformed();
      Operand literal{{}, std::string(rest_.substr(1, end - 1))};
      rest_.remove_prefix(end + 1);
      return literal;
    }
    size_t length = 0;
    while (length < rest_.size() && is_word(rest_[length])) ++length;
    const std::string name(rest_.substr(0, length));
    if (std::find(kVariables.begin(), kVariables.end(), name) == kVariables.end()) {
      return malformed();
    }
    rest_.remove_prefix(length);
    const auto found = environment_.find(name);
    return Operand{name, found == environment_.end() ? std::string() : found->second};
  }

  static constexpr int kDeepest = 100;  ///< nesting limit, so that hostile metadata is an error
  std::string_view marker_;
  std::string_view rest_;
  const MarkerEnvironment& environment_;
  int depth_ = 0;
};

}  // namespace

Result<bool> evaluate_marker(std::string_view marker, const MarkerEnvironment& environment) {
  return Evaluator(marker, environment).evaluate();
}

}  // namespace pinwheel::pep
