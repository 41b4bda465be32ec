#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel {

/// Finds texts of a list by their contents. Unlike a map it copies no text, and it allocates only
/// one block, so that it suits lists of tens of thousands. The list belongs to the caller:
/// `text_at(i)` is its text with the index `i`, and is only called with indexes that were added.
/// The list has fewer than 2^32 - 1 texts.
class TextIndex {
 public:
  /// For about `count` texts.
  explicit TextIndex(size_t count = 0) : slots_(slots_for(count)) {}

  /// The index of a text; nullopt if it was not added.
  template <class TextAt>
  std::optional<size_t> find(std::string_view text, const TextAt& text_at) const {
    const Slot& slot = slots_[place_of(text, hash_of(text), text_at)];
    return slot.index == kNone ? std::nullopt : std::optional<size_t>(slot.index);
  }

  /// Adds the text with an index, unless an equal text was added; returns the index of that one,
  /// else `index`.
  template <class TextAt>
  size_t add(std::string_view text, size_t index, const TextAt& text_at) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    const uint32_t hash = hash_of(text);
    Slot& slot = slots_[place_of(text, hash, text_at)];
    if (slot.index != kNone) return slot.index;
    slot = {hash, static_cast<uint32_t>(index)};
    ++count_;
    return index;
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Slot {
    uint32_t hash = 0;
    uint32_t index = kNone;
  };

  /// A power of 2, so that at most half of the slots are taken.
  static size_t slots_for(size_t count) { return std::bit_ceil(2 * std::max<size_t>(count, 4)); }

  static uint32_t hash_of(std::string_view text) {
    const uint64_t hash = std::hash<std::string_view>()(text);
    return static_cast<uint32_t>(hash ^ (hash >> 32U));
  }

  /// The slot of a text, or the free one where it belongs.
  template <class TextAt>
  size_t place_of(std::string_view text, uint32_t hash, const TextAt& text_at) const {
    const size_t mask = slots_.size() - 1;
    size_t place = hash & mask;
    for (; slots_[place].index != kNone; place = (place + 1) & mask) {
      if (slots_[place].hash == hash && text_at(slots_[place].index) == text) break;
    }
    return place;
  }

  void grow() {
    std::vector<Slot> before(slots_for(slots_.size()));
    before.swap(slots_);
    const size_t mask = slots_.size() - 1;
    for (const Slot& slot : before) {
      if (slot.index == kNone) continue;
      size_t place = slot.hash & mask;
      while (slots_[place].index != kNone) place = (place + 1) & mask;
      slots_[place] = slot;
    }
  }

  std::vector<Slot> slots_;
  size_t count_ = 0;
};

/// Different texts, numbered in the order in which they are added. They are stored one after the
/// other.
class UniqueTexts {
 public:
  /// For about `count` texts.
  explicit UniqueTexts(size_t count = 0) : index_(count) { ends_.reserve(count); }

  size_t size() const { return ends_.size(); }

  /// The number of a text. A new one has the next number, which was `size()` before.
  size_t add(std::string_view text) {
    const size_t next = size();
    const size_t known = index_.add(text, next, [this](size_t number) { return at(number); });
    if (known != next) return known;
    all_ += text;
    ends_.push_back(all_.size());
    return next;
  }

 private:
  std::string_view at(size_t number) const {
    const size_t begin = number == 0 ? 0 : ends_[number - 1];
    return std::string_view(all_).substr(begin, ends_[number] - begin);
  }

  std::string all_;
  std::vector<size_t> ends_;
  TextIndex index_;
};

}  // namespace pinwheel
