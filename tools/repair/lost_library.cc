#include "repair/lost_library.h"

#include <algorithm>
#include <set>
#include <string>

#include "inspect/needed_library.h"
#include "inspect/platform_tag.h"
#include "inspect/python_abi.h"

namespace pinwheel::repair {
namespace {

std::vector<size_t> opened(const Facts& facts, const std::vector<inspect::ElfMember>& edited) {
  const std::set<std::string> needed = inspect::needed_names(edited);
  std::vector<size_t> out;
  for (size_t i = 0; i < facts.wheel.libraries.size(); ++i) {
    const std::set<std::string> names = inspect::own_sonames({edited[i]});
    const bool drawn_in = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return needed.count(name) != 0;
    });
    if (!drawn_in || inspect::defines_module(facts.wheel.libraries[i].elf)) out.push_back(i);
  }
  return out;
}

}  // namespace

std::vector<inspect::LostLibrary> lost_in(const Facts& facts,
                                          const std::vector<inspect::ElfMember>& edited) {
  const inspect::LoadPlace place{architecture_of(facts.wheel), libc_of(facts.wheel)};
  std::vector<inspect::LostLibrary> lost =
      inspect::lost_libraries(edited, opened(facts, edited), place.libc);
  std::erase_if(lost, [&](const inspect::LostLibrary& each) {
    return inspect::outside_provider(place, each.soname, facts.exclude) !=
           inspect::Provider::nobody;
  });
  return lost;
}

}  // namespace pinwheel::repair
