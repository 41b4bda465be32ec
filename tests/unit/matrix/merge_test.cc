#include "matrix/merge.h"

#include "matrix/parse.h"
#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::matrix;

namespace {

Node tree(const std::string& yaml) {
  Result<Node> node = read_yaml(yaml, "m.yaml");
  REQUIRE(node.has_value());
  return std::move(*node);
}

/// The tree on one line: {a: 1, b: [2]}.
std::string flow(const Node& node) {
  if (node.type == Node::Type::scalar) return node.scalar;
  std::string out = node.type == Node::Type::mapping ? "{" : "[";
  for (const Node::Member& member : node.members) {
    out += (out.size() > 1 ? ", " : "") + member.key + ": " + flow(member.value);
  }
  for (const Node& item : node.items) out += (out.size() > 1 ? ", " : "") + flow(item);
  return out + (node.type == Node::Type::mapping ? "}" : "]");
}

std::string merge(const std::string& base, const std::string& patch) {
  return flow(merged(tree(base), tree(patch)));
}

}  // namespace

TEST_CASE("mappings merge, scalars and lists replace, and + appends") {
  CHECK(merge("{a: {b: 1, c: 2}}", "{a: {c: 3, d: 4}}") == "{a: {b: 1, c: 3, d: 4}}");
  CHECK(merge("{a: [1, 2]}", "{a: [3]}") == "{a: [3]}");
  CHECK(merge("{a: [1, 2]}", "{+a: [3]}") == "{a: [1, 2, 3]}");
  CHECK(merge("{a: 1}", "{+b: [3]}") == "{a: 1, b: [3]}");
  CHECK(merge("{x: 1}", "{a: {+b: [3]}}") == "{x: 1, a: {b: [3]}}");
  CHECK(merge("{a: 1}", "{a: {b: 2}}") == "{a: {b: 2}}");
  CHECK(merge("{a: {b: 2}}", "{a: 1}") == "{a: 1}");
}

TEST_CASE("pick returns the first entry that matches a value of the variant, else the default") {
  Variant variant;
  variant.axes = {{"compute", "cuda/13.0"}, {"torch", "nightly"}};
  const Node both = tree("{'cuda/*': first, nightly: second, default: third}");
  CHECK(pick(&both, variant)->scalar == "first");
  const Node other = tree("{default: third, cpu: fourth}");
  CHECK(pick(&other, variant)->scalar == "third");
  const Node none = tree("{cpu: fourth}");
  CHECK(pick(&none, variant) == nullptr);
  const Node scalar = tree("plain");
  CHECK(pick(&scalar, variant)->scalar == "plain");
  CHECK(pick(nullptr, variant) == nullptr);
}
