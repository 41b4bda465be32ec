#pragma once
#include <array>
#include <streambuf>
#include <string_view>

namespace pinwheel::matrix {

/// Feeds a text to a parser that reports what it finds, and ends early when the parser takes too
/// much of it without a report, or when the text is to end.
class FedText final : public std::streambuf {
 public:
  /// Counts what was found so far, and says whether to go on.
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
