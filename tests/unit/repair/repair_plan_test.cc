#include "repair/repair_plan.h"

#include "repair/closure.h"
#include "unit/repair/demo_repair.h"

namespace pinwheel::repair {
namespace {

const Texts kOfLibc = {"libc.so.6"};

TEST_CASE("a library of the system and its closure are grafted") {
  const inspect::WheelFacts wheel =
      demo_wheel({member("demo/_C.so", {"libtiff.so.6", "libc.so.6"})});
  Facts facts{wheel};
  facts.libraries["libtiff.so.6"] =
      system_library("libtiff.so.6", "aaaaaaaa", {"libjpeg.so.62", "libz.so.1"});
  facts.libraries["libjpeg.so.62"] = system_library("libjpeg.so.62", "bbbbbbbb");
  REQUIRE(wanted(facts).empty());
  const RepairPlan plan = plan_repair(facts);
  CHECK(messages_of(plan.problems) == Texts{});
  REQUIRE(plan.grafts.size() == 2);
  CHECK(plan.grafts[0].member == "demo.libs/libjpeg-bbbbbbbb.so.62");
  CHECK(plan.grafts[1].member == "demo.libs/libtiff-aaaaaaaa.so.6");
  CHECK(plan.edits ==
        std::vector<Edit>{{"demo/_C.so",
                           "",
                           {{"libtiff.so.6", "libtiff-aaaaaaaa.so.6"}},
                           {},
                           "$ORIGIN/../demo.libs"},
                          {"demo.libs/libjpeg-bbbbbbbb.so.62", "libjpeg-bbbbbbbb.so.62"},
                          {"demo.libs/libtiff-aaaaaaaa.so.6",
                           "libtiff-aaaaaaaa.so.6",
                           {{"libjpeg.so.62", "libjpeg-bbbbbbbb.so.62"}},
                           {},
                           "$ORIGIN"}});
  CHECK(plan.platforms == Texts{"manylinux_2_5_x86_64"});
  CHECK(plan.retagged);
}

TEST_CASE("two names of one file are one graft") {
  const inspect::WheelFacts wheel =
      demo_wheel({member("demo/_A.so", {"libx.so"}), member("demo/_B.so", {"libx.so.1"})});
  Facts facts{wheel};
  facts.libraries["libx.so"] = system_library("libx.so.1", "cccccccc");
  facts.libraries["libx.so.1"] = system_library("libx.so.1", "cccccccc");
  const RepairPlan plan = plan_repair(facts);
  REQUIRE(plan.grafts.size() == 1);
  CHECK(plan.grafts[0].needed_as == Texts{"libx.so", "libx.so.1"});
  CHECK(plan.edits[0].replace_needed.front().second == "libx-cccccccc.so.1");
  CHECK(plan.edits[1].replace_needed.front().second == "libx-cccccccc.so.1");
}

TEST_CASE("what others provide is not grafted") {
  const std::string library =
      GENERATE(as<std::string>(), "libtorch.so", "libc10_cuda.so", "libcuda.so.1", "libstdc++.so.6",
               "libmine.so.1", "ld-linux-x86-64.so.2", "libnvidia-encode.so.1", "libEGL.so.1",
               "libhiptensor.so.0");
  const inspect::WheelFacts wheel = demo_wheel({member("demo/_C.so", {library})});
  const Facts facts{wheel, {"libmine.so.*"}};
  CHECK(wanted(facts).empty());
  const RepairPlan plan = plan_repair(facts);
  CHECK_FALSE(plan.changes());
  CHECK(messages_of(plan.problems) == Texts{});
}

TEST_CASE("a library that is not found is a problem with packages to look for") {
  const inspect::WheelFacts wheel = demo_wheel({member("demo/_C.so", {"libjpeg.so.62"})});
  Facts facts{wheel};
  REQUIRE(wanted(facts).size() == 1);
  facts.missing = {"libjpeg.so.62"};
  CHECK(wanted(facts).empty());
  const RepairPlan plan = plan_repair(facts);
  REQUIRE(messages_of(plan.problems) ==
          Texts{"`demo/_C.so` needs `libjpeg.so.62`, which is not on this machine"});
  CHECK(plan.problems[0].hint.find("`libjpeg62`") != std::string::npos);
}

TEST_CASE("a graft's symbols count for the policy") {
  const inspect::WheelFacts wheel = demo_wheel({member("demo/_C.so", {"libx.so.1"})});
  Facts facts{wheel};
  facts.libraries["libx.so.1"] = system_library("libx.so.1", "dddddddd");
  facts.libraries["libx.so.1"].elf.version_needs = {{"libc.so.6", {"GLIBC_2.34"}}};
  CHECK(plan_repair(facts).platforms == Texts{"manylinux_2_34_x86_64"});

  SECTION("and must fit the target") {
    facts.target = {28};
    const RepairPlan plan = plan_repair(facts);
    REQUIRE(plan.problems.size() == 1);
    CHECK(plan.problems[0].message ==
          "the wheel needs versions that are too new for `manylinux_2_28_x86_64`");
    CHECK(plan.problems[0].causes[0].message ==
          "`demo.libs/libx-dddddddd.so.1` needs `GLIBC_2.34` of `libc.so.6`");
    CHECK(plan.problems[0].hint ==
          "build on an older system, or use `--plat manylinux_2_34_x86_64`");
  }
  SECTION("or a policy") {
    facts.libraries["libx.so.1"].elf.version_needs = {{"libc.so.6", {"GLIBC_2.99"}}};
    const RepairPlan plan = plan_repair(facts);
    REQUIRE(plan.problems.size() == 1);
    CHECK(plan.problems[0].message ==
          "the wheel needs versions that are too new for every manylinux policy");
  }
}

TEST_CASE("a wheel for musl gets the libraries that musl's policy lacks, and its tag") {
  const inspect::WheelFacts wheel =
      demo_wheel({member("demo/_C.so", {"libstdc++.so.6", "libz.so.1", "libc.musl-x86_64.so.1"})});
  Facts facts{wheel};
  facts.libraries["libstdc++.so.6"] =
      system_library("libstdc++.so.6", "ffffffff", {"libc.musl-x86_64.so.1"});
  const RepairPlan plan = plan_repair(facts);
  CHECK(plan.problems.empty());
  REQUIRE(plan.grafts.size() == 1);
  CHECK(plan.grafts[0].member == "demo.libs/libstdc++-ffffffff.so.6");
  CHECK(plan.platforms == Texts{"musllinux_1_2_x86_64"});

  facts.target = {1};
  CHECK(plan_repair(facts).platforms == Texts{"musllinux_1_1_x86_64"});
}

TEST_CASE("versions that a wheel requires of a grafted library follow its name") {
  const inspect::WheelFacts wheel =
      demo_wheel({member("demo/_C.so", {"libz2.so.1"}, {{"libz2.so.1", {"ZLIB_99.1"}}})});
  Facts facts{wheel};
  facts.libraries["libz2.so.1"] = system_library("libz2.so.1", "eeeeeeee");
  CHECK(plan_repair(facts).platforms == Texts{"manylinux_2_5_x86_64"});
}

TEST_CASE("the target's policy decides what the system has") {
  const inspect::WheelFacts wheel = demo_wheel({member("demo/_C.so", {"libmvec.so.1"})});
  CHECK(wanted(Facts{wheel}).empty());
  CHECK(wanted(Facts{wheel, {}, {17}}).size() == 1);
}

TEST_CASE("search paths of the build machine are dropped, with a note") {
  inspect::ElfMember library = member("demo/sub/_C.so", kOfLibc);
  library.elf.rpath = "/build/lib:$ORIGIN/../lib:$ORIGIN/../../../../up";
  const inspect::WheelFacts wheel = demo_wheel({library});
  const RepairPlan plan = plan_repair(Facts{wheel});
  REQUIRE(plan.edits.size() == 1);
  CHECK(plan.edits[0].rpath == "$ORIGIN/../lib");
  CHECK(
      plan.notes ==
      Texts{"`demo/sub/_C.so`: the search path entry `/build/lib` is dropped, because it does not "
            "hold after installation",
            "`demo/sub/_C.so`: the search path entry `$ORIGIN/../../../../up` is dropped, because "
            "it does not hold after installation"});
}

TEST_CASE("a dropped path that found the wheel's own library is replaced") {
  inspect::ElfMember library = member("demo/_C.so", {"libown.so"});
  library.elf.runpath = "/build/demo/lib";
  const inspect::WheelFacts wheel = demo_wheel({library, member("demo/lib/libown.so", kOfLibc)});
  const RepairPlan plan = plan_repair(Facts{wheel});
  REQUIRE(plan.edits.size() == 1);
  CHECK(plan.edits[0].rpath == "$ORIGIN/lib");
}

TEST_CASE("a library of the wheel that nothing leads to gets a path") {
  inspect::ElfMember module = member("demo/sub/_C.so", {"libown.so"});
  module.elf.runpath = "$ORIGIN/../libs";
  inspect::ElfMember own = member("demo/lib/libown.so", {"libmore.so.1"});
  inspect::ElfMember more = member("demo/more/libmore.so.1.2", kOfLibc);
  more.elf.soname = "libmore.so.1";
  const RepairPlan plan = plan_repair(Facts{demo_wheel({module, own, more})});
  CHECK(messages_of(plan.problems) == Texts{});
  REQUIRE(plan.edits.size() == 2);
  CHECK(plan.edits[0] == Edit{"demo/sub/_C.so", "", {}, {}, "$ORIGIN/../libs:$ORIGIN/../lib"});
  CHECK(
      plan.edits[1] ==
      Edit{"demo/lib/libown.so", "", {{"libmore.so.1", "libmore.so.1.2"}}, {}, "$ORIGIN/../more"});
}

TEST_CASE("a library is not put in under a name that is not shown") {
  const std::string needed = GENERATE(as<std::string>(), "libx.so.1", "lib\nx.so.1");
  const inspect::WheelFacts wheel = demo_wheel({member("demo/_C.so", {needed})});
  Facts facts{wheel};
  facts.libraries[needed] = system_library("lib\x1b[2Jx.so.1", "ffffffff");
  const RepairPlan plan = plan_repair(facts);
  CHECK(plan.grafts.empty());
  REQUIRE(plan.problems.size() == 1);
  CHECK(plan.problems[0].message.find("cannot be put into a wheel") != std::string::npos);
}

TEST_CASE("a path cannot be written with a colon") {
  const RepairPlan plan = plan_repair(
      Facts{demo_wheel({member("demo/_C.so", {"libown.so"}), member("de:mo/libown.so", kOfLibc)})});
  CHECK(messages_of(plan.problems) ==
        Texts{"no search path can lead `demo/_C.so` to `de:mo/libown.so`"});
}

TEST_CASE("a program among the scripts without a path to the wheel's library is moved") {
  const RepairPlan plan =
      plan_repair(Facts{demo_wheel({member("demo-1.0.data/scripts/tool", {"libown.so"}),
                                    member("demo/lib/libown.so", kOfLibc)})});
  REQUIRE(plan.edits.size() == 1);
  CHECK(plan.edits[0].member == "demo.scripts/tool");
  CHECK(plan.edits[0].rpath == "$ORIGIN/../demo/lib");
}

TEST_CASE("a wheel that needs nothing keeps its bytes and its tags") {
  const std::string platform = GENERATE(as<std::string>(), "manylinux_2_28_x86_64",
                                        "manylinux2014_x86_64.manylinux_2_17_x86_64");
  inspect::ElfMember library = member("demo/_C.so", {"libfoo-12345678.so.1"});
  library.elf.rpath = "$ORIGIN/../demo.libs";
  const inspect::WheelFacts wheel =
      demo_wheel({library, member("demo.libs/libfoo-12345678.so.1", kOfLibc)}, "", platform);
  const RepairPlan plan = plan_repair(Facts{wheel});
  CHECK_FALSE(plan.is_needed());
}

TEST_CASE("a wheel of Python alone needs nothing") {
  const inspect::WheelFacts wheel = demo_wheel({}, "", "any");
  const RepairPlan plan = plan_repair(Facts{wheel});
  CHECK_FALSE(plan.is_needed());
  CHECK(plan.platforms == Texts{"any"});
}

TEST_CASE("libraries of a CUDA toolkit come from requirements") {
  const inspect::WheelFacts wheel = demo_wheel({member("demo/_C.so", {"libcudart.so.12"})});
  const RepairPlan plan = plan_repair(Facts{wheel});
  CHECK(plan.grafts.empty());
  CHECK(plan.requirements == Texts{"nvidia-cuda-runtime-cu12"});
  REQUIRE(plan.edits.size() == 1);
  CHECK(plan.edits[0].rpath == "$ORIGIN/../nvidia/cuda_runtime/lib");

  SECTION("which a wheel may have already") {
    const inspect::WheelFacts requiring =
        demo_wheel({member("demo/_C.so", {"libcudart.so.12"})}, "nvidia-cuda-runtime-cu12");
    CHECK(plan_repair(Facts{requiring}).requirements == Texts{});
  }
  SECTION("or torch brings them") {
    const inspect::WheelFacts requiring =
        demo_wheel({member("demo/_C.so", {"libcudart.so.12"})}, "torch>=2.10");
    CHECK_FALSE(plan_repair(Facts{requiring}).changes());
    const inspect::WheelFacts linked =
        demo_wheel({member("demo/_C.so", {"libcudart.so.12", "libtorch.so"})});
    CHECK_FALSE(plan_repair(Facts{linked}).changes());
  }
}

TEST_CASE("a library in a toolkit's directory is never grafted") {
  const inspect::WheelFacts wheel = demo_wheel({member("demo/_C.so", {"libodd.so.1"})});
  Facts facts{wheel};
  facts.libraries["libodd.so.1"] = system_library("libodd.so.1", "ffffffff");
  facts.libraries["libodd.so.1"].path = "/usr/local/cuda-13.0/lib64/libodd.so.1";
  const RepairPlan plan = plan_repair(facts);
  CHECK(plan.grafts.empty());
  CHECK(plan.notes.size() == 1);
}

TEST_CASE("a vendor's distribution is required where the file came from it") {
  const inspect::WheelFacts wheel = demo_wheel({member("demo/_C.so", {"libodd.so.1"})});
  Facts facts{wheel};
  Library& library = facts.libraries["libodd.so.1"] = system_library("libodd.so.1", "ffffffff");
  library.path = "/env/lib/python3.11/site-packages/nvidia/cu13/lib/libodd.so.1";
  library.distribution = "nvidia-odd-cu13";
  library.installed = "nvidia/cu13/lib";
  const RepairPlan plan = plan_repair(facts);
  CHECK(plan.grafts.empty());
  CHECK(plan.requirements == Texts{"nvidia-odd-cu13"});
  REQUIRE(plan.edits.size() == 1);
  CHECK(plan.edits[0].rpath == "$ORIGIN/../nvidia/cu13/lib");
}

TEST_CASE("what opens GPU drivers is left to the system, with a note") {
  const inspect::WheelFacts wheel = demo_wheel({member("demo/_C.so", {"libOpenCL.so.1"})});
  const RepairPlan plan = plan_repair(Facts{wheel});
  CHECK_FALSE(plan.changes());
  CHECK(plan.notes == Texts{"`libOpenCL.so.1` is left to the system, because it opens the GPU "
                            "drivers there"});
  CHECK(plan.platforms == Texts{"manylinux_2_5_x86_64"});
}

TEST_CASE("a library of another requirement is found where that is installed") {
  const inspect::WheelFacts wheel = demo_wheel({member("demo/_C.so", {"libtbb.so.12"})}, "tbb");
  Facts facts{wheel};
  Library& library = facts.libraries["libtbb.so.12"] = system_library("libtbb.so.12", "abababab");
  library.path = "/env/lib/python3.11/site-packages/tbb/lib/libtbb.so.12";
  library.distribution = "tbb";
  library.installed = "tbb/lib";
  const RepairPlan plan = plan_repair(facts);
  CHECK(plan.grafts.empty());
  REQUIRE(plan.edits.size() == 1);
  CHECK(plan.edits[0].rpath == "$ORIGIN/../tbb/lib");

  SECTION("but is grafted if the wheel does not require it") {
    library.distribution = "tbb-devel";
    CHECK(plan_repair(facts).grafts.size() == 1);
  }
}

TEST_CASE("modules do not need libpython") {
  const inspect::WheelFacts wheel =
      demo_wheel({member("demo/_C.so", {"libpython3.11.so.1.0", "libc.so.6"})});
  const RepairPlan plan = plan_repair(Facts{wheel});
  REQUIRE(plan.edits.size() == 1);
  CHECK(plan.edits[0].remove_needed == Texts{"libpython3.11.so.1.0"});
  CHECK(plan.platforms == Texts{"manylinux_2_5_x86_64"});
}

TEST_CASE("a program among the scripts that needs a graft is moved to where it finds it") {
  inspect::ElfMember tool = member("demo-1.0.data/scripts/tool", {"libx.so.1", "libown.so"});
  tool.elf.runpath = "/build/lib";
  const inspect::WheelFacts wheel = demo_wheel({tool, member("demo/lib/libown.so", kOfLibc)});
  Facts facts{wheel};
  facts.libraries["libx.so.1"] = system_library("libx.so.1", "cdcdcdcd");
  const RepairPlan plan = plan_repair(facts);
  CHECK(messages_of(plan.problems) == Texts{});
  CHECK(plan.programs ==
        std::vector<MovedProgram>{{"demo-1.0.data/scripts/tool", "demo.scripts/tool"}});
  REQUIRE(plan.edits.size() == 2);
  CHECK(plan.edits[0] == Edit{"demo.scripts/tool",
                              "",
                              {{"libx.so.1", "libx-cdcdcdcd.so.1"}},
                              {},
                              "$ORIGIN/../demo.libs:$ORIGIN/../demo/lib",
                              "demo-1.0.data/scripts/tool"});
  CHECK(plan.notes.size() == 1);
}

TEST_CASE("a program that needs nothing of the wheel stays where it is") {
  inspect::ElfMember tool = member("demo-1.0.data/scripts/tool", kOfLibc);
  CHECK_FALSE(plan_repair(Facts{demo_wheel({tool})}).changes());
  tool.elf.rpath = "/build/lib";
  const RepairPlan plan = plan_repair(Facts{demo_wheel({tool})});
  CHECK(plan.programs.empty());
  REQUIRE(plan.edits.size() == 1);
  CHECK(plan.edits[0].member == "demo-1.0.data/scripts/tool");
  CHECK(plan.edits[0].rpath == "");
}

TEST_CASE("a program whose dropped path found the wheel's own library is moved, too") {
  inspect::ElfMember tool = member("demo-1.0.data/scripts/tool", {"libown.so"});
  tool.elf.runpath = "/build/demo/lib";
  const inspect::WheelFacts wheel = demo_wheel({tool, member("demo/lib/libown.so", kOfLibc)});
  const RepairPlan plan = plan_repair(Facts{wheel});
  REQUIRE(plan.edits.size() == 1);
  CHECK(plan.edits[0].member == "demo.scripts/tool");
  CHECK(plan.edits[0].rpath == "$ORIGIN/../demo/lib");
}

TEST_CASE("other files outside site-packages cannot find grafts") {
  const inspect::WheelFacts wheel =
      demo_wheel({member("demo-1.0.data/data/bin/tool", {"libx.so.1"})});
  Facts facts{wheel};
  facts.libraries["libx.so.1"] = system_library("libx.so.1", "cdcdcdcd");
  CHECK(messages_of(plan_repair(facts).problems) ==
        Texts{"`demo-1.0.data/data/bin/tool` needs grafted libraries, but is installed outside "
              "site-packages"});
}

}  // namespace
}  // namespace pinwheel::repair
