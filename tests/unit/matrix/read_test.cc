#include "matrix/parse.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::matrix;

namespace {

std::string message_of(const std::string& text) {
  const Result<Node> node = read_yaml(text, "m.yaml");
  REQUIRE_FALSE(node.has_value());
  CHECK(node.error().kind == ErrorKind::config);
  return node.error().message;
}

}  // namespace

TEST_CASE("every node knows its place and its line") {
  const Result<Node> root = read_yaml("a: 1\nb:\n  - x\n  - {c: 3.10}\n", "m.yaml");
  REQUIRE(root.has_value());
  const Node* const b = root->find("b");
  REQUIRE(b != nullptr);
  CHECK(root->members[1].key_at == Location{"m.yaml", 2, 1, "b:"});
  REQUIRE(b->items.size() == 2);
  CHECK(b->items[0].at == Location{"m.yaml", 3, 5, "  - x"});
  CHECK(b->items[1].find("c")->at == Location{"m.yaml", 4, 9, "  - {c: 3.10}"});
  CHECK(root->find("z") == nullptr);
}

TEST_CASE("scalars keep their spelling, and quotes are recorded") {
  const Result<Node> root = read_yaml("[3.10, '3.10', yes, ~, \"\"]", "m.yaml");
  REQUIRE(root.has_value());
  REQUIRE(root->items.size() == 5);
  CHECK(root->items[0].scalar == "3.10");
  CHECK_FALSE(root->items[0].quoted);
  CHECK(root->items[1].scalar == "3.10");
  CHECK(root->items[1].quoted);
  CHECK(root->items[2].scalar == "yes");
  CHECK(root->items[3].type == Node::Type::null);
  CHECK(root->items[4].type == Node::Type::scalar);
}

TEST_CASE("a value that is missing has the place of its key") {
  const Result<Node> root = read_yaml("a:\nb: 1\n", "m.yaml");
  REQUIRE(root.has_value());
  CHECK(root->find("a")->type == Node::Type::null);
  CHECK(root->find("a")->at.line > 0);
}

TEST_CASE("an alias is a copy of its anchor") {
  const Result<Node> root = read_yaml("a: &x [1, 2]\nb: *x\n", "m.yaml");
  REQUIRE(root.has_value());
  REQUIRE(root->find("b")->items.size() == 2);
  CHECK(root->find("b")->items[1].scalar == "2");
  CHECK(root->find("b")->at.line == 1);
}

TEST_CASE("carriage returns are not part of an excerpt") {
  const Result<Node> root = read_yaml("a: 1\r\nb: 2\r\n", "m.yaml");
  REQUIRE(root.has_value());
  CHECK(root->members[1].key_at.excerpt == "b: 2");
}

TEST_CASE("nodes of a long line have a short excerpt, or none") {
  std::string yaml = "a: [x";
  for (int i = 0; i < 1000; ++i) yaml += ", y";
  const Result<Node> root = read_yaml(yaml + "]\n", "m.yaml");
  REQUIRE(root.has_value());
  const std::vector<Node>& items = root->members[0].value.items;
  CHECK(items.front().at == Location{"m.yaml", 1, 5, yaml.substr(0, 200)});
  CHECK(items.back().at == Location{"m.yaml", 1, 3005, ""});
}

TEST_CASE("aliases that multiply are rejected before they exhaust memory") {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 9; ++k) bomb += last + ", ";
    bomb += last + "]\n";
  }
  CHECK(message_of(bomb) == "with its aliases, the file has more than 200000 values");
  // Few nodes, and much text.
  std::string texts = "a: [&a '" + std::string(20'000, 'x') + "'";
  for (int i = 0; i < 1000; ++i) texts += ",\n *a";
  CHECK(message_of(texts + "]\n") ==
        "with its aliases, the file has more than 16000000 bytes of text");
  // Every anchor stores a copy of its contents.
  std::string anchors = "a: ";
  for (int i = 0; i < 60; ++i) anchors += "&a" + std::to_string(i) + " [";
  for (int i = 0; i < 5000; ++i) anchors += "x,\n ";
  CHECK(message_of(anchors + std::string(60, ']') + "\n") ==
        "with its aliases, the file has more than 200000 values");
}

TEST_CASE("a file that is too large is rejected before it is parsed") {
  CHECK(message_of("a: '" + std::string(8'000'000, 'x') + "'\n") ==
        "the file has 8000006 bytes, and a matrix at most 8000000");
  std::string values = "a:\n";
  for (int i = 0; i < 200'000; ++i) values += "- x\n";
  CHECK(message_of(values) == "the file has more than 200000 values");
}

TEST_CASE("the parser does not hold more of a value, or of a list in brackets, than it may") {
  const std::string refused = "a value or a list in brackets takes more than 512000 bytes";
  CHECK(message_of("a: '" + std::string(1'000'000, 'x') + "'\n") == refused);
  CHECK(message_of("a: " + std::string(1'000'000, 'x') + "\n") == refused);
  std::string flow = "[";
  for (int i = 0; i < 150'000; ++i) flow += "\"a\", ";
  CHECK(message_of(flow + "b]") == refused);
  CHECK(read_yaml("a: '" + std::string(400'000, 'x') + "'\n", "m.yaml"));
}

TEST_CASE("memory grows with the file, whether it has one line or many") {
  const auto allocated = [](const std::string& between) {
    std::string text = "a: [x";
    for (int i = 0; i < 10'000; ++i) text += between + "x";
    const Result<Node> root = read_yaml(text + "]\n", "m.yaml");
    REQUIRE(root);
    size_t bytes = 0;
    for (const Node& item : root->find("a")->items) bytes += item.at.excerpt.size();
    return bytes;
  };
  CHECK(allocated(", ") < 100'000);
  CHECK(allocated(",\n  ") < 100'000);
}

TEST_CASE("deep nesting is an error, not a crash") {
  const std::string refused = "lists and mappings are more than 64 levels deep";
  std::string mappings;
  std::string blocks = "a:\n  ";
  for (int i = 0; i < 50'000; ++i) {
    mappings += "{a: ";
    blocks += "- ";
  }
  CHECK(message_of(std::string(100'000, '[')) == refused);
  CHECK(message_of(std::string(100'000, '[') + std::string(100'000, ']')) == refused);
  CHECK(message_of(mappings) == refused);
  CHECK(message_of(blocks) == refused);
  CHECK(read_yaml("a: " + std::string(60, '[') + std::string(60, ']'), "m.yaml"));
}

TEST_CASE("keys given twice are found among very many") {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += "k" + std::to_string(i) + ": 1\n";
  CHECK(read_yaml(text, "m.yaml"));
  CHECK(message_of(text + "k7: 2\n") == "key `k7` is given twice");
}

TEST_CASE("files that are not matrix files have errors of their own") {
  CHECK(message_of("a: 1\na: 2\n") == "key `a` is given twice");
  CHECK(message_of("a: 1\n---\nb: 1\n") ==
        "a matrix file is one YAML document, and a second starts here");
  CHECK(message_of("a: &x {b: *x}\n") == "an alias cannot refer to a node that contains it");
  CHECK(message_of("") == "the matrix file is empty");
  CHECK(message_of("a: &x &y 1\n").find("this is not valid YAML") == 0);
}

TEST_CASE("a file that makes the parser repeat empty documents is rejected, not read forever") {
  const Result<Node> root = read_yaml(", night pinwheel/1\npackage: {name: demo}\n", "m.yaml");
  REQUIRE_FALSE(root);
  CHECK(root.error().kind == ErrorKind::config);
}
