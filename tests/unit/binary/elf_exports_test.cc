#include "binary/elf_exports.h"

#include <algorithm>

#include "base/text.h"
#include "unit/binary/compiled_library.h"
#include "unit/catch.h"
#include "unit/command_output.h"

namespace pinwheel::binary {
namespace {

constexpr const char* kSource = R"(
#ifdef HIDE
static int alone = 1;
#else
int exported(void) { return 1; }
__attribute__((weak)) int weak_one(void) { return 2; }
__attribute__((visibility("hidden"))) int hidden_one(void) { return 3; }
__attribute__((visibility("protected"))) int protected_one(void) { return 4; }
static int local_one(void) { return 5; }
int data_one = 6;
__thread int thread_one;
extern int elsewhere(void);
int uses(void) { return elsewhere() + local_one(); }
#endif
)";

/// `kSource`, compiled.
struct Compiled : CompiledLibrary {
  explicit Compiled(const std::string& flags) : CompiledLibrary(kSource, flags) {}
};

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return names;
}

TEST_CASE("exports are what nm -D lists as defined") {
  const Compiled library("-Wl,-soname,libx.so.3 -Wl,--no-as-needed -lm");
  const auto exports = read_exports(ports::MemorySource(library.bytes()));
  REQUIRE(exports);
  CHECK(exports->soname == "libx.so.3");
  CHECK(exports->needed == std::vector<std::string>{"libm.so.6", "libc.so.6"});
  CHECK(sorted(exports->names) == std::vector<std::string>{"data_one", "exported", "protected_one",
                                                           "thread_one", "uses", "weak_one"});
  std::vector<std::string> listed =
      split(output_of("nm -D --defined-only -j " + library.file().string()), '\n');
  std::erase(listed, "");
  CHECK(sorted(exports->names) == sorted(listed));
}

TEST_CASE("a library without exports has none, one without a symbol hash is rejected") {
  const Compiled none("-fvisibility=hidden -Wl,--exclude-libs,ALL -DHIDE");
  CHECK(read_exports(ports::MemorySource(none.bytes()))->names.empty());
  const Compiled old("-Wl,--hash-style=sysv");
  const auto refused = read_exports(ports::MemorySource(old.bytes()));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "the ELF file is corrupt: it has no `.gnu.hash`");
}

TEST_CASE("a name that does not match its hash is detected") {
  const Compiled library("");
  std::string bytes = library.bytes();
  const size_t at = bytes.find(std::string("protected_one\0", 14));
  REQUIRE(at != std::string::npos);
  bytes[at] = 'P';
  const auto changed = read_exports(ports::MemorySource(bytes));
  REQUIRE_FALSE(changed);
  CHECK(changed.error().message ==
        "the ELF file is corrupt: the name of a symbol does not match its hash");
}

TEST_CASE("a file truncated anywhere is read or rejected") {
  const std::string bytes = Compiled("").bytes();
  for (size_t length = 0; length < bytes.size(); length += 7) {
    const auto exports = read_exports(ports::MemorySource(bytes.substr(0, length)));
    if (!exports) CHECK(exports.error().kind == ErrorKind::check);
  }
}

}  // namespace
}  // namespace pinwheel::binary
