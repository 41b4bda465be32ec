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

TEST_CASE("a long name is shown without its arguments") {
  CHECK(compat::brief_name("at::add(at::Tensor const&)") == "at::add(at::Tensor const&)");
  const std::string arguments(100, 'x');
  CHECK(compat::brief_name("c10::Error::Error(" + arguments + ")") == "c10::Error::Error(...)");
  CHECK(compat::brief_name("std::function<void (int)>::swap(" + arguments + ")") ==
        "std::function<void (int)>::swap(...)");
  CHECK(compat::brief_name("at::F::operator()(" + arguments + ")") == "at::F::operator()(...)");
  CHECK(compat::brief_name("(" + arguments + ")") == "(" + arguments + ")");
  CHECK(compat::brief_name(arguments) == arguments);
}

}  // namespace
}  // namespace pinwheel::compat
