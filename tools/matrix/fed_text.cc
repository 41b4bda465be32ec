#include "matrix/fed_text.h"

#include <algorithm>

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

}  // namespace pinwheel::matrix
