#include "host/dry_run/script.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::host;

namespace {

Script script() {
  Script script;
  script.move("/state/scratch", "@pinwheel-scratch@");
  return script;
}

}  // namespace

TEST_CASE("places of a run are places of the script in every part of a command") {
  const Script written = script();
  const ports::Command command{{"sh", "from=/state/scratch/a"},
                               "/state/scratch/work",
                               {{"HOME", "/state/scratch/home"}},
                               {},
                               {{"/state/scratch/a", "/tmp/at"}}};
  const ports::Command moved = written.moved(command);
  CHECK(moved.argv == std::vector<std::string>{"sh", "from=@pinwheel-scratch@/a"});
  CHECK(moved.directory == "@pinwheel-scratch@/work");
  CHECK(moved.environment.at("HOME") == "@pinwheel-scratch@/home");
  CHECK(moved.mounts == std::vector<ports::Mount>{{"@pinwheel-scratch@/a", "/tmp/at"}});
  CHECK(written.makes(command));
  const ports::Command mounted{{"sh", "/tmp/at/a"}, "/", {}, {}, {{"/state/scratch/a", "/tmp/at"}}};
  CHECK(written.makes(mounted));
  CHECK_FALSE(written.makes(ports::Command{{"python3", "--version"}, "/", {{"HOME", "/home/u"}}}));
}

TEST_CASE("directories are made once, several by one command") {
  Script written = script();
  written.make_directory("/state/scratch/a");
  written.make_directory("/state/scratch/b");
  written.make_directory("/state/scratch/a");
  CHECK(written.take() == "mkdir -p ''\"$scratch\"'/a' ''\"$scratch\"'/b'\n");
  written.make_directory("/state/scratch/c/d");
  CHECK(written.take() == "mkdir -p ''\"$scratch\"'/c/d'\n");
  written.make_directory("/state/scratch/c");
  CHECK(written.take().empty());
}

TEST_CASE("a file is written as it is, or with the places of the script") {
  Script written = script();
  written.make_directory("/state/scratch");
  static_cast<void>(written.take());
  written.write("/state/scratch/plain", "$HOME\n");
  CHECK(written.take() == "cat > ''\"$scratch\"'/plain' <<'PINWHEEL_END'\n$HOME\nPINWHEEL_END\n");
  written.write("/state/scratch/path", "/state/scratch/a");
  CHECK(written.take() == "printf %s ''\"$scratch\"'/a' > ''\"$scratch\"'/path'\n");
  written.write("/state/scratch/empty", "");
  CHECK(written.take() == "printf %s '' > ''\"$scratch\"'/empty'\n");
}

TEST_CASE("only what the script has made is removed") {
  Script written = script();
  written.remove("/state/scratch/a");
  CHECK(written.take().empty());
  written.write("/state/scratch/a/file", "text\n");
  static_cast<void>(written.take());
  written.remove("/state/scratch/a");
  CHECK(written.take() == "rm -rf ''\"$scratch\"'/a'\n");
  CHECK_FALSE(written.has_file("/state/scratch/a/file"));
}

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
