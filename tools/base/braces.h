#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel {

/// The texts to which a pattern with braces expands, in order, as in shells and cibuildwheel
/// (bracex): `{a,b{c,d}}` is `a`, `bc` and `bd`, `{8..10}` is `8`, `9` and `10`, `{a..c}` letters;
/// a step may follow, `{0..9..3}`. Braces without a comma or a range are literal text, and so are
/// those without a partner: `{x}` is `{x}`. A pattern that expands to more than `kMostBraceTexts`
/// texts, or that nests deeper than `kDeepestBraces`, is literal as a whole.
std::vector<std::string> expand_braces(std::string_view pattern);

/// Whether `expand_braces` finds alternatives or a range in the pattern.
bool has_alternatives(std::string_view pattern);

inline constexpr size_t kMostBraceTexts = 1000;
inline constexpr int kDeepestBraces = 32;

}  // namespace pinwheel
