#include "unit/catch.h"
#include "unit/inspect/demo_facts.h"

namespace pinwheel::inspect {
namespace {

WheelFacts with_elf(void (*change)(binary::Elf&)) {
  WheelFacts facts = native_facts();
  change(facts.libraries[0].elf);
  return facts;
}

Severity severity_of(const WheelFacts& facts) {
  const std::vector<Finding> found = findings_of(facts);
  REQUIRE(found.size() == 1);
  return found[0].severity;
}

TEST_CASE("an executable stack is an error") {
  const WheelFacts facts = with_elf([](binary::Elf& elf) { elf.executable_stack = true; });
  CHECK(finding_texts(facts) ==
        Texts{"[executable-stack] `demo/_C.so`: requests an executable stack, and "
              "glibc 2.41 and newer refuse to load it"});
  CHECK(severity_of(facts) == Severity::error);
}

TEST_CASE("text relocations, no RELRO and debug information are warnings") {
  const WheelFacts relocated = with_elf([](binary::Elf& elf) { elf.text_relocations = true; });
  CHECK(finding_texts(relocated) ==
        Texts{"[text-relocations] `demo/_C.so`: has text relocations, which "
              "systems with SELinux refuse to load"});
  CHECK(severity_of(relocated) == Severity::warning);
  const WheelFacts writable = with_elf([](binary::Elf& elf) { elf.relro = binary::Relro::none; });
  CHECK(finding_texts(writable) ==
        Texts{"[relro] `demo/_C.so`: has no RELRO, so its relocated data stays writable"});
  CHECK(severity_of(writable) == Severity::warning);
  const WheelFacts debuggable = with_elf([](binary::Elf& elf) {
    elf.sections = {{".text", 0, 5}, {".debug_info", 0, 2000}, {".zdebug_str", 0, 50}};
  });
  CHECK(finding_texts(debuggable) ==
        Texts{"[debug-info] `demo/_C.so`: has 2.0 KB of uncompressed debug "
              "information (.debug_info, .zdebug_str)"});
  CHECK(severity_of(debuggable) == Severity::warning);
}

TEST_CASE("data and programs need no RELRO") {
  CHECK(finding_texts(with_elf([](binary::Elf& elf) {
          elf.relro = binary::Relro::none;
          elf.needed.clear();
        })).empty());
  CHECK(finding_texts(with_elf([](binary::Elf& elf) {
          elf.relro = binary::Relro::none;
          elf.type = 2;
        })).empty());
}

}  // namespace
}  // namespace pinwheel::inspect
