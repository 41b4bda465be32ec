#include "inspect/kernel_changes.h"

#include "unit/catch.h"
#include "unit/inspect/demo_facts.h"

namespace pinwheel::inspect {
namespace {

binary::CubinKernel kernel(const std::string& name, uint32_t registers, uint64_t code = 128) {
  binary::CubinKernel out;
  out.name = name;
  out.registers = registers;
  out.code_size = code;
  return out;
}

MemberFacts member(const std::string& name, uint64_t packed) {
  MemberFacts out;
  out.name = name;
  out.size = 100;
  out.compressed_size = packed;
  return out;
}

WheelFacts with_kernels(std::vector<KernelFacts> kernels) {
  WheelFacts facts = native_facts();
  facts.device_code = {{"demo/_C.so", {{binary::CodeKind::cubin, "sm_90a"}}}};
  facts.device_code[0].kernels = std::move(kernels);
  return facts;
}

TEST_CASE("kernels are compared by file, architecture and name", "[inspect]") {
  const KernelChanges found = kernel_changes(with_kernels({{"sm_80", kernel("one", 32)},
                                                           {"sm_90a", kernel("one", 32)},
                                                           {"sm_90a", kernel("less", 40)},
                                                           {"sm_90a", kernel("gone", 8)}}),
                                             with_kernels({{"sm_80", kernel("one", 32)},
                                                           {"sm_90a", kernel("less", 30)},
                                                           {"sm_90a", kernel("one", 64)},
                                                           {"sm_100", kernel("one", 20)}}));
  REQUIRE(found.changed.size() == 2);
  // Kernels that need more come first.
  CHECK(found.changed[0] ==
        ChangedKernel{"demo/_C.so", "sm_90a", kernel("one", 32), kernel("one", 64)});
  CHECK(found.changed[1].after.name == "less");
  CHECK(found.gained == std::vector<PlacedKernel>{{"demo/_C.so", "sm_100", kernel("one", 20)}});
  CHECK(found.lost == std::vector<PlacedKernel>{{"demo/_C.so", "sm_90a", kernel("gone", 8)}});
}

TEST_CASE("kernels of one name in several units are matched by code size", "[inspect]") {
  const KernelChanges found = kernel_changes(
      with_kernels({{"sm_80", kernel("k", 16, 100)}, {"sm_80", kernel("k", 32, 200)}}),
      with_kernels({{"sm_80", kernel("k", 32, 200)}, {"sm_80", kernel("k", 16, 100)}}));
  CHECK(found.empty());
}

TEST_CASE("a kernel needs more if one of its resources grows", "[inspect]") {
  ChangedKernel changed{"f", "sm_80", kernel("k", 32), kernel("k", 32, 999)};
  CHECK(!needs_more(changed));
  changed.after.stack = std::nullopt;
  CHECK(needs_more(changed));
  changed.after.stack = 0;
  changed.after.shared = 1;
  CHECK(needs_more(changed));
  changed.after.shared = 0;
  changed.after.spills = std::nullopt;
  CHECK(!needs_more(changed));
  changed.after.spills = 2;
  CHECK(needs_more(changed));
}

TEST_CASE("parts whose sizes differ are listed by growth", "[inspect]") {
  WheelFacts before = pure_facts();
  before.members = {member("a.py", 5), member("b.py", 5), member("gone.py", 7),
                    member("same.py", 1)};
  WheelFacts after = pure_facts();
  after.members = {member("a.py", 6), member("b.py", 9), member("same.py", 1), member("new.py", 2)};
  using Part = SizeChange::Part;
  CHECK(size_changes(before, after) == std::vector<SizeChange>{{Part::file, "b.py", 5, 9},
                                                               {Part::file, "new.py", 0, 2},
                                                               {Part::file, "a.py", 5, 6},
                                                               {Part::file, "gone.py", 7, 0}});
}

}  // namespace
}  // namespace pinwheel::inspect
