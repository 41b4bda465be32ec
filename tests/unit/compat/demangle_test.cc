#include "compat/demangle.h"

#include "unit/catch.h"

namespace pinwheel::compat {
namespace {

TEST_CASE("mangled names are demangled, others stay unchanged") {
  CHECK(demangle("_ZNK2at10TensorBase3dimEv") == "at::TensorBase::dim() const");
  CHECK(demangle("aoti_torch_abi_version") == "aoti_torch_abi_version");
  CHECK(demangle("_Znonsense") == "_Znonsense");
  CHECK(demangle("i") == "i");
  const std::string endless = "_Z" + std::string(100'000, 'P');
  CHECK(demangle(endless) == endless);
}

}  // namespace
}  // namespace pinwheel::compat
