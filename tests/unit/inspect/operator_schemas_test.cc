#include "inspect/operator_schemas.h"

#include "unit/binary/make_elf.h"
#include "unit/catch.h"

namespace pinwheel::inspect {
namespace {

TEST_CASE("schemas of operators are told from other texts with arrows", "[inspect]") {
  for (const char* const schema :
       {"scale(Tensor x) -> Tensor", "demo::scale.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)",
        "f() -> ()", "split(Tensor(a -> *) x, int[2]? sizes=[1, 2]) -> (Tensor(a)[], int)",
        "g(SymInt n, ScalarType? dtype=None) ->Tensor?", "h(Tensor x,\n  float p=0.5) -> bool",
        "k(__torch__.torch.classes.demo.Table t) -> str"}) {
    CAPTURE(schema);
    CHECK(is_operator_schema(schema));
  }
  for (const char* const other :
       {"", "scale", "scale(Tensor x)", "scale(Tensor x) Tensor", "scale(x) -> y",
        "scale(Tensor x -> Tensor", "(Tensor x) -> Tensor", "cannot convert f(int) -> g",
        "a b(Tensor x) -> Tensor", "scale(Tensor) -> Tensor", "1x(Tensor x) -> Tensor",
        "::f(Tensor x) -> Tensor", "f.(Tensor x) -> Tensor", "f(Tensor x) -> (Tensor",
        "f(Tensor x)) -> Tensor", "std::function<void()> f(int x) -> void"}) {
    CAPTURE(other);
    CHECK(!is_operator_schema(other));
  }
}

TEST_CASE("the schemas of a library are among its constants", "[inspect]") {
  using namespace std::string_literals;
  const std::string far(70000, 'x');
  const std::string constants = "b(Tensor x) -> Tensor\0not(a) -> schema\0"s + far +
                                "\0a(Tensor x) -> ()\0b(Tensor x) -> Tensor\0"s;
  const ports::MemorySource file(binary::make_elf(".rodata", constants));
  const auto elf = binary::read_elf(file);
  REQUIRE(elf);
  const auto found = read_operators(*elf, file);
  REQUIRE(found);
  CHECK(*found == std::vector<std::string>{"a(Tensor x) -> ()", "b(Tensor x) -> Tensor"});

  const ports::MemorySource text(binary::make_elf(".text", constants));
  CHECK(read_operators(binary::read_elf(text).value(), text)->empty());
  binary::Elf outside;
  outside.sections = {{".rodata", 1U << 30U, 10}};
  CHECK(!read_operators(outside, file));
}

TEST_CASE("a schema across the pieces that are read is found", "[inspect]") {
  const std::string schema = "crossing(Tensor x) -> Tensor";
  for (const size_t before : {59980U, 59999U, 60000U}) {
    const std::string constants = std::string(before - 1, 'x') + '\0' + schema + '\0';
    const ports::MemorySource file(binary::make_elf(".rodata", constants));
    CHECK(read_operators(binary::read_elf(file).value(), file).value() ==
          std::vector<std::string>{schema});
  }
}

}  // namespace
}  // namespace pinwheel::inspect
