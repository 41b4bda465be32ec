#include "binary/fatbin_scan.h"

#include <algorithm>
#include <cstring>

#include "base/limits.h"
#include "binary/fatbin_format.h"

namespace pinwheel::binary {
namespace {

constexpr uint64_t kWord = 8;

uint64_t word_at(std::string_view bytes, size_t at) {
  uint64_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof(word));
  return word;
}

bool all_zeros(std::string_view bytes) {
  return bytes.find_first_not_of('\0') == std::string_view::npos;
}

}  // namespace

void FatbinScanner::feed(std::string_view piece) {
  while (!piece.empty() && !is_over_) {
    if (skip_ > 0) {
      skip(piece);
    } else if (wanted_ > 0) {
      collect(piece);
    } else {
      search(piece);
    }
  }
}

void FatbinScanner::advance(std::string_view& piece, uint64_t length) {
  piece.remove_prefix(length);
  position_ += length;
}

void FatbinScanner::count() {
  is_over_ = ++pieces_ > limits::kDeviceCode.most;
}

void FatbinScanner::search(std::string_view& piece) {
  const uint64_t odd = std::min<uint64_t>((kWord - position_ % kWord) % kWord, piece.size());
  zeros_ = zeros_ && all_zeros(piece.substr(0, odd));
  advance(piece, odd);
  // Hot loop: runs over every byte outside of containers.
  uint64_t seen = 0;
  size_t at = 0;
  for (; at + kWord <= piece.size(); at += kWord) {
    const uint64_t word = word_at(piece, at);
    if (static_cast<uint32_t>(word) == kFatbinMagic) break;
    seen |= word;
  }
  zeros_ = zeros_ && seen == 0;
  const bool found = at + kWord <= piece.size();
  advance(piece, at);
  if (found) {
    wanted_ = kFatbinHeader;
    return;
  }
  zeros_ = zeros_ && all_zeros(piece);
  advance(piece, piece.size());
}

void FatbinScanner::skip(std::string_view& piece) {
  const uint64_t length = std::min<uint64_t>(skip_, piece.size());
  skip_ -= length;
  advance(piece, length);
  if (skip_ == 0) next_entry();
}

void FatbinScanner::collect(std::string_view& piece) {
  const uint64_t length = std::min<uint64_t>(wanted_ - header_.size(), piece.size());
  header_ += piece.substr(0, length);
  advance(piece, length);
  if (header_.size() < wanted_) return;
  wanted_ = 0;
  inside_ ? take_entry() : take_container();
  header_.clear();
}

void FatbinScanner::take_container() {
  const std::optional<uint64_t> size = fatbin_size(header_);
  if (!size || *size > file_size_ - std::min(file_size_, position_)) {
    zeros_ = false;
    return;
  }
  FatbinContainer found;
  found.offset = position_ - kFatbinHeader;
  found.end = position_ + *size;
  found.zeros_before = zeros_;
  containers_.push_back(std::move(found));
  count();
  inside_ = true;
  next_entry();
}

void FatbinScanner::next_entry() {
  const uint64_t left = containers_.back().end - position_;
  if (left == 0) {
    inside_ = false;
    zeros_ = true;
  } else if (left < kFatbinEntryHeader) {
    reject(broken_fatbin("an entry does not fit its container").value());
  } else {
    wanted_ = kFatbinEntryHeader;
  }
}

void FatbinScanner::take_entry() {
  const uint64_t left = containers_.back().end - position_ + kFatbinEntryHeader;
  Result<FatbinEntry> entry = read_fatbin_entry(header_, left);
  if (!entry) {
    reject(entry.error());
    return;
  }
  entry->code.offset = position_ - kFatbinEntryHeader;
  containers_.back().code.push_back(std::move(entry->code));
  count();
  skip_ = entry->length - kFatbinEntryHeader;
  if (skip_ == 0) next_entry();
}

void FatbinScanner::reject(Error error) {
  containers_.back().fault = std::move(error);
  inside_ = false;
  zeros_ = false;
}

}  // namespace pinwheel::binary
