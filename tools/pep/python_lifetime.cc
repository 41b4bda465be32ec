#include "pep/python_lifetime.h"

#include <array>

namespace pinwheel::pep {
namespace {

using std::chrono::October;
using std::chrono::year;
using std::chrono::year_month;

struct Lifetime {
  std::string_view python;
  year_month last;
};

// The "lifespan" of the release schedules: PEP 569, 596, 619, 664, 693, 719, 745 and 790. Since 3.9
// a release lives for five years from an October.
constexpr std::array kLifetimes = {
    Lifetime{"3.8", year(2024) / October},  Lifetime{"3.9", year(2025) / October},
    Lifetime{"3.10", year(2026) / October}, Lifetime{"3.11", year(2027) / October},
    Lifetime{"3.12", year(2028) / October}, Lifetime{"3.13", year(2029) / October},
    Lifetime{"3.14", year(2030) / October}, Lifetime{"3.15", year(2031) / October},
};

}  // namespace

std::optional<year_month> end_of_life(std::string_view python) {
  if (python.ends_with('t')) python.remove_suffix(1);
  for (const Lifetime& each : kLifetimes) {
    if (each.python == python) return each.last;
  }
  return std::nullopt;
}

}  // namespace pinwheel::pep
