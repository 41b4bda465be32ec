#include "base/error.h"

#include "base/digest.h"
#include "base/secret.h"
#include "unit/catch.h"

using namespace pinwheel;

TEST_CASE("an error shows its place, excerpt, caret, causes and hint") {
  const Error error{ErrorKind::config,
                    "unknown axis `pyton`",
                    Location{"m.yaml", 7, 3, "  pyton: [\"3.11\"]"},
                    "did you mean `python`?",
                    {Error{ErrorKind::internal, "something below"}}};
  CHECK(render(error) ==
        "error: unknown axis `pyton`\n"
        "  --> m.yaml:7:3\n"
        "    |\n"
        "  7 |   pyton: [\"3.11\"]\n"
        "    |   ^\n"
        "caused by: something below\n"
        "hint: did you mean `python`?\n");
}

TEST_CASE("every kind has a name that reads back, and its documented exit code") {
  for (int i = 0; i <= static_cast<int>(ErrorKind::internal); ++i) {
    const auto kind = static_cast<ErrorKind>(i);
    CHECK(parse_error_kind(to_string(kind)) == kind);
  }
  CHECK(exit_code(ErrorKind::config) == 2);
  CHECK(exit_code(ErrorKind::nothing_selected) == 3);
  CHECK(exit_code(ErrorKind::transient) == 4);
  CHECK(exit_code(ErrorKind::check) == 5);
  CHECK(exit_code(ErrorKind::internal) == 70);
}

TEST_CASE("digests agree with published vectors") {
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  Blake2b256 blake;
  blake.update("abc");
  CHECK(to_hex(blake.finish()) ==
        "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
  CHECK(base64url("\xff\xfe") == "__4");
  CHECK(base64("user:pass") == "dXNlcjpwYXNz");
}

TEST_CASE("a secret can be taken out of a text") {
  CHECK(redact("Basic pypi-tok pypi-tok", Secret("pypi-tok")) == "Basic *** ***");
  CHECK(redact("nothing", Secret()) == "nothing");
}

TEST_CASE("a short secret masks no letters of ordinary words") {
  CHECK_FALSE(Secret("x").can_be_hidden());
  CHECK_FALSE(Secret("1234567").can_be_hidden());
  CHECK(Secret("12345678").can_be_hidden());
  CHECK(redact("the index", Secret("x")) == "the index");
}
