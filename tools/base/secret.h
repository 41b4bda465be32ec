#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace pinwheel {

/// A token or password. It has no formatter and no stream operator: it cannot be printed, logged,
/// or put in a key or in JSON by accident. `reveal()` is called only where the request is sent.
class Secret {
 public:
  static constexpr size_t kShortest = 8;  ///< characters of a secret that can be hidden

  Secret() = default;
  explicit Secret(std::string value) : value_(std::move(value)) {}

  bool empty() const { return value_.empty(); }
  /// Whether it is long enough to be hidden in messages: replacing every occurrence of a shorter
  /// one would hide parts of ordinary words, and reveal the secret.
  bool can_be_hidden() const { return value_.size() >= kShortest; }
  const std::string& reveal() const { return value_; }

 private:
  std::string value_;
};

/// Called with a secret as soon as it exists, before it is used, so that a log can hide it. May be
/// called on any thread, and may be empty.
using MaskSecret = std::function<void(const Secret& secret)>;

/// Whether a secret may be sent without encryption to a host that is not this machine.
enum class PlainHttp { refused, allowed };

/// `text` with every occurrence of the secret replaced by `***`; unchanged if the secret is too
/// short to be hidden.
std::string redact(std::string_view text, const Secret& secret);

}  // namespace pinwheel
