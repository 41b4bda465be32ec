#include "host/dry_run/script_ports.h"

#include "unit/catch.h"
#include "unit/host/scratch_machine.h"

using namespace pinwheel;
using namespace pinwheel::host;

namespace {

struct ScriptPlace : ScratchMachine {
  Script script;
  ScriptFiles made{files, script};
  ScriptProcess commands{process, script, nullptr};

  ScriptPlace() { script.move(machine.cache / "environments", "@pinwheel-scratch@/environments"); }
};

}  // namespace

TEST_CASE("a question is answered by the machine, and a command of a step becomes a line") {
  ScriptPlace place;
  const auto asked = place.commands.capture({{"/bin/echo", "yes"}, "/", {}});
  REQUIRE(asked.has_value());
  CHECK(asked->out == "yes\n");
  CHECK(place.script.take().empty());

  const std::string inside = (place.machine.cache / "environments/a").string();
  const auto recorded = place.commands.capture({{"/bin/false", inside}, "/", {}});
  REQUIRE(recorded.has_value());
  CHECK(recorded->exit.ok());
  CHECK(place.script.take() == "(cd / && env -i /bin/false ''\"$scratch\"'/environments/a')\n");

  const auto logged = place.commands.log({{"/bin/false"}, "/", {}}, "/dev/null");
  REQUIRE(logged.has_value());
  CHECK(logged->ok());
  CHECK(place.script.take() == "(cd / && env -i /bin/false)\n");
}

TEST_CASE("files of the script are not written on the machine, and count as written") {
  ScriptPlace place;
  const std::filesystem::path file = place.machine.cache / "environments/a/requirements.txt";
  CHECK(place.made.status(file)->type == ports::FileType::missing);
  REQUIRE(place.made.write(file, "torch\n", 0644).has_value());
  CHECK(place.made.status(file)->type == ports::FileType::regular);
  CHECK_FALSE(std::filesystem::exists(file));
  CHECK(place.script.take().find("torch\n") != std::string::npos);

  REQUIRE(place.made.write(file.parent_path() / "launcher", "#!/bin/sh\n", 0755).has_value());
  CHECK(place.script.take().find("chmod +x ") != std::string::npos);

  REQUIRE(place.made.write(file.parent_path() / "pinwheel-complete.json", "{}\n", 0644));
  CHECK(place.made.status(file.parent_path() / "pinwheel-complete.json")->type ==
        ports::FileType::regular);
  CHECK(place.script.take().empty());
}

TEST_CASE("files elsewhere are the machine's") {
  ScriptPlace place;
  const std::filesystem::path file = place.machine.cache / "interpreters/3.12.json";
  REQUIRE(place.made.write(file, "{}\n", 0644).has_value());
  CHECK(place.files.read(file).value() == "{}\n");
  CHECK(place.made.read(file).value() == "{}\n");
  CHECK(place.script.take().empty());
}

TEST_CASE("the script copies the files of the snapshot, or git's if a frozen plan names none") {
  ScriptPlace place;
  ScriptSupplier supplier(place.script);
  const std::filesystem::path at = place.machine.cache / "environments/src";
  plan::Source source{"/project"};
  REQUIRE(supplier.source(source, at, 7).has_value());
  CHECK(place.script.take().starts_with("(cd /project && git ls-files -z --cached -- . | xargs "));

  source.files = std::make_shared<const plan::SourceFiles>(
      plan::SourceFiles{{{"a b.py", "file 00"}, {"setup.py", "file 01"}}});
  REQUIRE(supplier.source(source, at, 7).has_value());
  const std::string lines = place.script.take();
  CHECK(lines.starts_with("(cd /project && printf '%s\\0' 'a b.py' setup.py | xargs -0 cp "));
  CHECK(lines.find("--date=@7 ") != std::string::npos);
}

TEST_CASE("links of a directory are one command, except those with other names") {
  ScriptPlace place;
  ScriptSupplier supplier(place.script);
  const std::filesystem::path directory = place.machine.cache / "environments/links";
  CHECK_FALSE(supplier.link(directory, {{"cc", "/usr/bin/cc"}, {"c++", "/usr/bin/c++"}}));
  CHECK(place.script.take() ==
        "mkdir -p ''\"$scratch\"'/environments/links'\n"
        "ln -s -t ''\"$scratch\"'/environments/links' /usr/bin/c++ /usr/bin/cc\n");
  CHECK_FALSE(supplier.link(directory, {{"cuda", "cuda-13"}}));
  CHECK(place.script.take() == "ln -s cuda-13 ''\"$scratch\"'/environments/links/cuda'\n");
}
