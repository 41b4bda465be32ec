#include "init/from_cibuildwheel.h"

#include "unit/catch.h"

namespace pinwheel::init {
namespace {

using Texts = std::vector<std::string>;

TEST_CASE("the plain command of auditwheel says nothing new") {
  const std::string command = GENERATE(as<std::string>{}, "auditwheel repair -w {dest_dir} {wheel}",
                                       "python -m auditwheel repair --wheel-dir={dest_dir} {wheel}",
                                       "auditwheel repair -v --wheel-dir {dest_dir} {wheel}");
  const RepairWords words = read_repair_command(command);
  CHECK_FALSE(words.is_empty);
  CHECK(words.external.empty());
  CHECK(words.others.empty());
}

TEST_CASE("an empty command repairs nothing") {
  CHECK(read_repair_command("").is_empty);
  CHECK(read_repair_command(" ").is_empty);
}

TEST_CASE("what auditwheel excludes, in every spelling") {
  const RepairWords words = read_repair_command(
      "auditwheel repair --exclude libcuda.so.1 -w {dest_dir} \"--exclude=libodbc.so.*\" {wheel}");
  CHECK(words.external == Texts{"libcuda.so.1", "libodbc.so.*"});
  CHECK(words.others.empty());
}

TEST_CASE("whatever else is done beside it is named") {
  const RepairWords words = read_repair_command(
      "pip install x && LD_LIBRARY_PATH=/opt auditwheel repair --exclude a.so --strip --plat "
      "manylinux_2_28_x86_64 -w {dest_dir} {wheel}");
  CHECK(words.external == Texts{"a.so"});
  CHECK(words.others == "pip install x LD_LIBRARY_PATH=/opt --strip --plat manylinux_2_28_x86_64");
  CHECK(read_repair_command("bash repair.sh {wheel} {dest_dir}\necho done").others ==
        "bash repair.sh {wheel} {dest_dir} echo done");
}

}  // namespace
}  // namespace pinwheel::init
