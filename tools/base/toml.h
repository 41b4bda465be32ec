#pragma once
// The TOML parser, as every file that reads TOML must include it.
//
// The parser asserts, or without assertions lets compilers assume, a condition that a text like "["
// and a line break violates; the code after it rejects such a text. Its behavior is undefined for
// non-ASCII characters outside strings: parse only what `to_ascii_toml` returned.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(expression) static_assert(true)
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

#include "base/ascii_toml.h"  // IWYU pragma: export
