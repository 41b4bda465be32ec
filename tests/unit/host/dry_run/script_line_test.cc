#include "host/dry_run/script_line.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::host;

TEST_CASE("words of a script are quoted, except for its own variables") {
  CHECK(script_word("plain") == "plain");
  CHECK(script_word("two words") == "'two words'");
  CHECK(script_word(script_variable("scratch") + "/a b") == "''\"$scratch\"'/a b'");
  CHECK(script_word("from=" + script_variable("scratch") + ",at=" + script_variable("scratch")) ==
        "'from='\"$scratch\"',at='\"$scratch\"''");
  CHECK(script_word(script_variable("image_ab12")) == "''\"$image_ab12\"''");
}

TEST_CASE("a line has the whole environment of its command, but no password") {
  const ports::Command command{{"pip", "install", "a b"},
                               "/work",
                               {{"LANG", "C"}, {"PIP_INDEX_URL", "https://me:word@x.example"}},
                               {}};
  CHECK(script_line(command) ==
        "(cd /work && env -i LANG=C PIP_INDEX_URL=\"${PIP_INDEX_URL-}\" pip install 'a b')\n");
}
