#pragma once
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/secret.h"

namespace pinwheel {

/// Secrets to hide in all output. Every occurrence in a text is replaced by `***`, including an
/// encoded one: base64 in its three alignments and both alphabets, percent-encoded, and with the
/// escapes of JSON or of a string in a program. For a secret of several lines, each line is hidden
/// as well. Encrypted, compressed or divided secrets are not found.
class HiddenText {
 public:
  /// `name` is used in messages, such as the variable that contains the secret. A secret that is
  /// too short to be hidden is ignored.
  void add(const Secret& secret, const std::string& name = {});

  bool empty() const { return patterns_.empty(); }
  /// Masks a complete text.
  std::string mask(std::string_view text) const;
  /// An error with every text in it masked.
  Error mask(Error error) const;

 private:
  friend class HidingStream;

  /// The spelling of two characters of base64's alphabet.
  enum class Alphabet { plain, base64 };
  struct Pattern {
    std::string bytes;
    Alphabet alphabet = Alphabet::plain;
    std::string name;
  };
  /// A match of a pattern at a position of a text: `length` characters of it, or its beginning up
  /// to the end of the text, which spells `known` bytes.
  struct Match {
    size_t length = 0;
    bool open = false;
    size_t known = 0;
    const Pattern* pattern = nullptr;
  };

  void add_pattern(std::string bytes, Alphabet alphabet, const std::string& name);
  void add_spellings(std::string_view text, const std::string& name);
  bool may_begin(char c) const { return begins_[static_cast<unsigned char>(c)]; }
  Match longest_at(std::string_view text) const;
  static Match match(std::string_view text, const Pattern& pattern);

  std::vector<Pattern> patterns_;
  std::array<bool, 256> begins_ = {};  ///< characters with which a spelling of a pattern begins
};

/// Hides secrets in a text that comes in pieces, including a secret that is split between pieces. A
/// possible beginning of a secret is held back until more is known.
class HidingStream {
 public:
  /// `hidden` must outlive it.
  explicit HidingStream(const HiddenText& hidden) : hidden_(hidden) {}

  /// The text that may be shown so far.
  std::string pass(std::string_view piece);
  /// The rest. The beginning of a secret is hidden if it is long enough to be a secret itself.
  std::string end();
  /// The names of the secrets that were found so far.
  const std::set<std::string>& found() const { return found_; }

 private:
  enum class Ending { open, final };
  std::string take(Ending ending);
  size_t hide(const HiddenText::Match& match, size_t at, std::string& out);

  const HiddenText& hidden_;
  std::string held_;
  size_t covered_ = 0;  ///< characters of `held_` that belong to a secret found before
  std::set<std::string> found_;
};

}  // namespace pinwheel
