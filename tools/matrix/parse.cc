#include "matrix/parse.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <istream>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/text.h"
#include "matrix/config_error.h"
#include "matrix/decode.h"
#include "matrix/schema.h"
#include "matrix/source_lines.h"
#include "matrix/yaml_limits.h"
#include "matrix/yaml_problem.h"

namespace pinwheel::matrix {

FedText::FedText(std::string_view text, const Progress& progress, size_t most)
    : left_(text), progress_(progress), most_(most) {}

FedText::int_type FedText::underflow() {
  if (progress_.found() != found_) {
    found_ = progress_.found();
    since_ = 0;
  }
  if (since_ > most_) starved_ = true;
  if (left_.empty() || starved_ || progress_.stopped()) return traits_type::eof();
  const size_t size = std::min(left_.size(), piece_.size());
  std::copy_n(left_.begin(), size, piece_.begin());
  left_.remove_prefix(size);
  since_ += size;
  setg(piece_.data(), piece_.data(), piece_.data() + size);
  return traits_type::to_int_type(piece_[0]);
}

namespace {

Location place_of(const SourceLines& lines, const YAML::Mark& mark) {
  return lines.place(mark.line, mark.column);
}

/// The size of a tree: its nodes, and the bytes of their texts.
struct Extent {
  size_t nodes = 0;
  size_t text = 0;

  void add(const Node& node) {
    ++nodes;
    text += node.scalar.size() + node.at.excerpt.size();
    for (const Node& item : node.items) add(item);
    for (const Node::Member& member : node.members) {
      text += member.key.size() + member.key_at.excerpt.size();
      add(member.value);
    }
  }
};

/// Builds the tree from yaml-cpp's events. Keeps the first error and ignores later events. Beyond a
/// limit it ends the text.
class Builder : public YAML::EventHandler, public FedText::Progress {
 public:
  Builder(const SourceLines& lines, std::string_view what) : lines_(lines), what_(what) {}

  bool failed() const { return error_.has_value(); }
  size_t found() const override { return events_; }
  bool stopped() const override { return stopped_; }
  /// Fails because the parser read too much text for one value.
  void starve() {
    stop_at(fmt::format("a value or a list in brackets takes more than {} bytes", kMostOfOne),
            last_, "write a long list with one value on a line, after a dash");
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (!root_) return;
    fail_at(fmt::format("a {} file is one YAML document, and a second starts here", what_), mark);
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    begin(Node::Type::null, mark, anchor);
    end();
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    begin(Node::Type::scalar, mark, anchor);
    seen_.text += value.size();
    Node& node = open_.back().node;
    node.scalar = value;
    node.quoted = tag == "!";
    if (node.quoted) check_quote(mark);
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
    ++events_;
    if (!error_) seen_.add(known->second);
    check_extent(mark, "with its aliases, the file");
    open_.push_back({error_ ? Node() : known->second, {}, 0});
    end();
  }

  Result<Node> take() {
    if (error_) return fail(std::move(*error_));
    if (!root_ || root_->type == Node::Type::null) {
      return fail(
          config_error(fmt::format("the {} file is empty", what_), lines_.whole(),
                       what_ == "matrix" ? "a matrix starts with `schema: pinwheel/1`" : ""));
    }
    return std::move(*root_);
  }

 private:
  /// A node that is not closed yet; `key` is the mapping's key whose value comes next.
  struct Open {
    Node node;
    std::optional<Node> key;
    YAML::anchor_t anchor = 0;
    std::unordered_set<std::string> keys = {};  ///< of a mapping that has many
  };

  void fail_at(const std::string& message, const YAML::Mark& mark, std::string hint = {}) {
    if (!error_) error_ = config_error(message, place_of(lines_, mark), std::move(hint));
  }

  void stop_at(const std::string& message, const YAML::Mark& mark, std::string hint = {}) {
    if (stopped_) return;
    stopped_ = true;
    error_ = config_error(message, place_of(lines_, mark), std::move(hint));
  }

  void check_extent(const YAML::Mark& mark, std::string_view what) {
    if (seen_.nodes > kMostNodes) {
      stop_at(fmt::format("{} has more than {} values", what, kMostNodes), mark);
    } else if (seen_.text > kMostText) {
      stop_at(fmt::format("{} has more than {} bytes of text", what, kMostText), mark);
    }
  }

  void begin(Node::Type type, const YAML::Mark& mark, YAML::anchor_t anchor) {
    ++events_;
    last_ = mark;
    Open open;
    open.node.type = type;
    open.node.at = place_of(lines_, mark);
    open.anchor = anchor;
    if (open.node.at.line == 0 && !open_.empty()) {
      const Open& parent = open_.back();
      open.node.at = parent.key ? parent.key->at : parent.node.at;
    }
    ++seen_.nodes;
    seen_.text += open.node.at.excerpt.size();
    open_.push_back(std::move(open));
    check_extent(mark, "the file");
    if (open_.size() > kMostLevels) {
      stop_at(fmt::format("lists and mappings are more than {} levels deep", kMostLevels), mark);
    }
  }

  void end() {
    Open done = std::move(open_.back());
    open_.pop_back();
    // A stored copy is as large as an alias of it.
    if (done.anchor != 0 && !error_) {
      if (done.node.type != Node::Type::scalar) seen_.add(done.node);
      check_extent(last_, "with its aliases, the file");
      anchors_[done.anchor] = done.node;
    }
    if (open_.empty()) {
      if (!root_) root_ = std::move(done.node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.type == Node::Type::sequence) {
      parent.node.items.push_back(std::move(done.node));
    } else if (!parent.key) {
      check_key(parent, done.node);
      parent.key = std::move(done.node);
    } else {
      check_colon(*parent.key, done.node);
      parent.node.members.push_back(
          {std::move(parent.key->scalar), std::move(parent.key->at), std::move(done.node)});
      parent.key.reset();
    }
  }

  void check_key(Open& open, const Node& key) {
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
    if (!open.keys.insert(key.scalar).second) {
      const auto& members = open.node.members;
      const Node::Member& member =
          *std::find_if(members.begin(), members.end(),
                        [&](const Node::Member& each) { return each.key == key.scalar; });
      error_ = config_error(fmt::format("key {} is given twice", quoted(key.scalar)), key.at,
                            fmt::format("the first is on line {}", member.key_at.line));
    }
  }

  /// Detects a quote that the end of the file closes for the parser.
  void check_quote(const YAML::Mark& mark) {
    const auto column = static_cast<size_t>(std::max(mark.column, 0));
    std::string_view rest = lines_.line(static_cast<size_t>(std::max(mark.line, 0)));
    if (error_ || mark.line < 0 || column >= rest.size()) return;
    const char quote = rest[column];
    if (quote != '"' && quote != '\'') return;
    rest.remove_prefix(column + 1);
    for (auto line = static_cast<size_t>(mark.line) + 1; line <= lines_.count(); ++line) {
      if (rest.find(quote) != std::string_view::npos) return;
      rest = lines_.line(line);
    }
    error_ = unclosed_at(quote, place_of(lines_, mark));
  }

  /// Detects `{name:a}`, where the whole text is a key without a value.
  void check_colon(const Node& key, const Node& value) {
    const size_t colon = key.scalar.find(':');
    if (error_ || key.quoted || value.type != Node::Type::null || colon == std::string::npos)
      return;
    Location at = key.at;
    at.column += static_cast<int>(colon);
    error_ = config_error(
        "a space is missing after the colon", std::move(at),
        fmt::format("write {}", quoted(fmt::format("{}: {}", key.scalar.substr(0, colon),
                                                   key.scalar.substr(colon + 1)))));
  }

  const SourceLines& lines_;
  std::string_view what_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Node> anchors_;
  std::optional<Node> root_;
  std::optional<Error> error_;
  Extent seen_;
  size_t events_ = 0;
  YAML::Mark last_;
  bool stopped_ = false;
};

}  // namespace

Result<Node> read_yaml(std::string_view text, const std::string& file, std::string_view what) {
  if (text.size() > limits::kMatrix.most) {
    return fail(config_error(fmt::format("the file has {} bytes, and a {} at most {}", text.size(),
                                         what, limits::kMatrix.most),
                             {file, 0, 0, {}},
                             what == "matrix" ? "split it into several matrix files" : ""));
  }
  const SourceLines lines(text, file);
  Builder builder(lines, what);
  FedText source(text, builder, kMostOfOne);
  try {
    std::istream stream(&source);
    YAML::Parser parser(stream);
    // For some malformed files yaml-cpp returns empty documents forever.
    while (!builder.failed() && parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    if (!source.starved() && !builder.stopped()) return fail(yaml_problem(error, lines));
  }
  if (source.starved()) builder.starve();
  return builder.take();
}

namespace {

std::string directory_of(const std::string& file) {
  const size_t slash = file.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : file.substr(0, slash);
}

}  // namespace

Result<Matrix> parse(std::string_view yaml, const std::string& file) {
  TRY(const Node root, read_yaml(yaml, file));
  TRY_DONE(validate(root, matrix_shape(), "a matrix file"));
  Matrix matrix;
  matrix.file = file;
  matrix.directory = directory_of(file);
  TRY_DONE(decode_package(root, matrix));
  TRY_DONE(decode_computes(root, matrix));
  TRY_DONE(decode_axes(root, matrix));
  TRY_DONE(check_computes(root, matrix));
  TRY_DONE(decode_rules(root, matrix));
  TRY_DONE(decode_abi(root, matrix));
  TRY_DONE(decode_sections(root, matrix));
  TRY_DONE(decode_publish(root, matrix));
  TRY_DONE(decode_channels(root, matrix));
  TRY_DONE(decode_ci(root, matrix));
  TRY_DONE(decode_stores(root, matrix));
  return matrix;
}

}  // namespace pinwheel::matrix
