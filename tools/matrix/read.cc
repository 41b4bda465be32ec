#include "matrix/read.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <istream>
#include <map>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "base/text.h"
#include "matrix/config_error.h"

namespace pinwheel::matrix {
namespace {

constexpr size_t kMostNodes = 100'000;

/// The lines of the text, for excerpts.
class Lines {
 public:
  Lines(std::string_view text, std::string file) : file_(std::move(file)) {
    for (std::string_view rest = text; !rest.empty();) {
      const size_t end = rest.find('\n');
      std::string_view line = rest.substr(0, end);
      if (line.ends_with('\r')) line.remove_suffix(1);
      lines_.push_back(line);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
  }

  /// yaml-cpp counts from 0; -1 is an unknown place.
  Location place(const YAML::Mark& mark) const {
    if (mark.line < 0) return {file_, 0, 0, {}};
    const auto line = static_cast<size_t>(mark.line);
    return {file_, mark.line + 1, mark.column + 1,
            line < lines_.size() ? std::string(lines_[line]) : std::string()};
  }

  Location whole() const { return {file_, 0, 0, {}}; }

 private:
  std::string file_;
  std::vector<std::string_view> lines_;
};

size_t count_nodes(const Node& node) {
  size_t count = 1;
  for (const Node& item : node.items) count += count_nodes(item);
  for (const Node::Member& member : node.members) count += count_nodes(member.value);
  return count;
}

/// Builds the tree from yaml-cpp's events. Keeps the first error and ignores later events.
class Builder : public YAML::EventHandler {
 public:
  explicit Builder(const Lines& lines) : lines_(lines) {}

  bool failed() const { return error_.has_value(); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (root_) fail_at("a matrix file is one YAML document, and a second starts here", mark);
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    begin(Node::Type::null, mark, anchor);
    end();
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    begin(Node::Type::scalar, mark, anchor);
    Node& node = open_.back().node;
    node.scalar = value;
    node.quoted = tag == "!";
    end();
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    begin(Node::Type::sequence, mark, anchor);
  }
  void OnSequenceEnd() override { end(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    begin(Node::Type::mapping, mark, anchor);
  }
  void OnMapEnd() override { end(); }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto known = anchors_.find(anchor);
    if (known == anchors_.end()) {
      fail_at("an alias cannot refer to a node that contains it", mark);
      begin(Node::Type::null, mark, 0);
      end();
      return;
    }
    // A copy keeps the locations of the original: an error points at the text that caused it.
    seen_ += error_ ? 0 : count_nodes(known->second);
    if (seen_ > kMostNodes) fail_at("aliases expand to more than 100000 nodes", mark);
    open_.push_back({error_ ? Node() : known->second, {}, 0});
    end();
  }

  Result<Node> take() {
    if (error_) return fail(std::move(*error_));
    if (!root_ || root_->type == Node::Type::null) {
      return fail(config_error("the matrix file is empty", lines_.whole(),
                               "a matrix starts with `schema: pinwheel/1`"));
    }
    return std::move(*root_);
  }

 private:
  /// A node that is not closed yet; `key` is the mapping's key whose value comes next.
  struct Open {
    Node node;
    std::optional<Node> key;
    YAML::anchor_t anchor = 0;
  };

  void fail_at(std::string message, const YAML::Mark& mark, std::string hint = {}) {
    if (!error_) error_ = config_error(std::move(message), lines_.place(mark), std::move(hint));
  }

  void begin(Node::Type type, const YAML::Mark& mark, YAML::anchor_t anchor) {
    Open open;
    open.node.type = type;
    open.node.at = lines_.place(mark);
    open.anchor = anchor;
    if (open.node.at.line == 0 && !open_.empty()) {
      const Open& parent = open_.back();
      open.node.at = parent.key ? parent.key->at : parent.node.at;
    }
    open_.push_back(std::move(open));
    if (++seen_ > kMostNodes) fail_at("the file has more than 100000 nodes", mark);
  }

  void end() {
    Open done = std::move(open_.back());
    open_.pop_back();
    if (done.anchor != 0) anchors_[done.anchor] = done.node;
    if (open_.empty()) {
      if (!root_) root_ = std::move(done.node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.type == Node::Type::sequence) {
      parent.node.items.push_back(std::move(done.node));
    } else if (!parent.key) {
      check_key(parent.node, done.node);
      parent.key = std::move(done.node);
    } else {
      parent.node.members.push_back(
          {std::move(parent.key->scalar), std::move(parent.key->at), std::move(done.node)});
      parent.key.reset();
    }
  }

  void check_key(const Node& mapping, const Node& key) {
    if (error_) return;
    if (key.type != Node::Type::scalar) {
      error_ = config_error("a key must be a scalar", key.at);
      return;
    }
    if (key.scalar == "<<" && !key.quoted) {
      error_ = config_error("merge keys (`<<`) are not supported", key.at,
                            "write the keys out, or alias the whole value");
      return;
    }
    for (const Node::Member& member : mapping.members) {
      if (member.key != key.scalar) continue;
      error_ = config_error(fmt::format("key `{}` is given twice", key.scalar), key.at,
                            fmt::format("the first is on line {}", member.key_at.line));
      return;
    }
  }

  const Lines& lines_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Node> anchors_;
  std::optional<Node> root_;
  std::optional<Error> error_;
  size_t seen_ = 0;
};

}  // namespace

Result<Node> read_yaml(std::string_view text, const std::string& file) {
  const Lines lines(text, file);
  Builder builder(lines);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    // For some malformed files yaml-cpp returns empty documents forever.
    while (!builder.failed() && parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    return fail(config_error(fmt::format("this is not valid YAML: {}", error.msg),
                             lines.place(error.mark)));
  }
  return builder.take();
}

}  // namespace pinwheel::matrix
