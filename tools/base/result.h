#pragma once
#include <tl/expected.hpp>
#include <utility>

#include "base/error.h"

namespace pinwheel {

/// A value, or the error that prevented it.
template <class T>
using Result = tl::expected<T, Error>;

/// The result of a function that returns no value.
using Done = Result<void>;

inline tl::unexpected<Error> fail(Error error) {
  return tl::unexpected<Error>(std::move(error));
}

inline tl::unexpected<Error> fail(ErrorKind kind, std::string message, std::string hint = {}) {
  return tl::unexpected<Error>(Error{kind, std::move(message), std::nullopt, std::move(hint), {}});
}

}  // namespace pinwheel

#define PINWHEEL_CONCAT_(a, b) a##b
#define PINWHEEL_CONCAT(a, b) PINWHEEL_CONCAT_(a, b)
#define PINWHEEL_TRY_(tmp, declaration, ...)                 \
  auto tmp = (__VA_ARGS__);                                  \
  if (!tmp) return ::pinwheel::fail(std::move(tmp).error()); \
  declaration = *std::move(tmp) /* NOLINT(bugprone-macro-parentheses) */

/// `TRY(const Matrix matrix, load(path));` declares `matrix`, or returns the error.
#define TRY(declaration, ...) \
  PINWHEEL_TRY_(PINWHEEL_CONCAT(try_result_, __COUNTER__), declaration, __VA_ARGS__)

/// `TRY_DONE(write(path));` continues, or returns the error.
#define TRY_DONE(...)                                       \
  do {                                                      \
    if (auto try_done = (__VA_ARGS__); !try_done)           \
      return ::pinwheel::fail(std::move(try_done).error()); \
  } while (false)
