#pragma once
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/secret.h"

namespace pinwheel {

/// Secrets that no output shows, and the text without them: every occurrence is replaced by `***`,
/// also one that is encoded: base64 in its three alignments and both alphabets, percent-encoded,
/// and with the escapes of JSON or of a string in a program. Of a secret of several lines, each
/// line is hidden as well. What a program encrypts, compresses or takes apart is not found.
class HiddenText {
 public:
  /// `name` is what messages call it, such as the variable that holds it. A secret that is too
  /// short to be hidden is left out.
  void add(const Secret& secret, const std::string& name = {});

  bool empty() const { return patterns_.empty(); }
  /// A text that is whole.
  std::string mask(std::string_view text) const;
  /// An error with every text in it masked.
  Error mask(Error error) const;

 private:
  friend class HidingStream;

  /// How base64 may write two characters of its alphabet.
  enum class Alphabet { plain, base64 };
  struct Pattern {
    std::string bytes;
    Alphabet alphabet = Alphabet::plain;
    std::string name;
  };
  /// What a pattern is at a place of a text: `length` characters of it, or its beginning as far as
  /// the text goes, which spells `known` bytes.
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

/// Text that comes in pieces, without the secrets: one that is split between pieces is found, too.
/// What may be the beginning of a secret is held back until more is known.
class HidingStream {
 public:
  /// `hidden` must outlive it.
  explicit HidingStream(const HiddenText& hidden) : hidden_(hidden) {}

  /// What may be shown by now.
  std::string pass(std::string_view piece);
  /// The rest. The beginning of a secret is hidden if it is long enough to be one itself.
  std::string end();
  /// The names of the secrets that were in it so far.
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
