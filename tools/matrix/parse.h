#pragma once
#include <array>
#include <streambuf>
#include <string>
#include <string_view>

#include "base/result.h"
#include "matrix/matrix.h"
#include "matrix/node.h"

namespace pinwheel::matrix {

/// Parses a matrix file. Unknown keys, duplicate keys, wrong types and values are errors of kind
/// `config` with file:line:column, excerpt and the nearest valid name. `file` is the path as given.
Result<Matrix> parse(std::string_view yaml, const std::string& file);

/// Parses one YAML document into a tree in which every node has its location. Aliases are expanded.
/// Errors of kind `config`, each with its location: invalid YAML, a duplicate key, a key that is
/// not a scalar, a merge key (`<<`), an alias of an enclosing node, an empty file, a second
/// document, or a document beyond `matrix/yaml_limits.h`, so that memory stays below 200 MB. `file`
/// is the path as given, and `what` the kind of file in messages.
Result<Node> read_yaml(std::string_view text, const std::string& file,
                       std::string_view what = "matrix");

/// Feeds a text to a parser that reports what it finds. Ends the text early if the parser reads too
/// much of it without a report, or if it should stop.
class FedText final : public std::streambuf {
 public:
  /// Counts the findings so far, and decides whether to continue.
  class Progress {
   public:
    Progress() = default;
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    virtual ~Progress() = default;
    virtual size_t found() const = 0;
    virtual bool stopped() const = 0;
  };

  /// Both must outlive it. `most` are the bytes between two reports.
  FedText(std::string_view text, const Progress& progress, size_t most);

  /// Whether the text was cut because nothing was found in it for too long.
  bool starved() const { return starved_; }

 private:
  int_type underflow() override;

  std::string_view left_;
  const Progress& progress_;
  size_t most_;
  size_t found_ = 0;
  size_t since_ = 0;  ///< bytes fed since something was found
  bool starved_ = false;
  std::array<char, 4096> piece_ = {};
};

}  // namespace pinwheel::matrix
