#include "init/pythons.h"

#include "unit/catch.h"

namespace pinwheel::init {
namespace {

using Texts = std::vector<std::string>;

project::CibwValue words(const std::string& text) {
  return {{text}, {}, "pyproject.toml"};
}

TEST_CASE("without a word, the maintained Pythons that requires-python admits") {
  ProjectFacts facts;
  CHECK(choose_pythons(facts).values == Texts{"3.11", "3.12", "3.13", "3.14", "3.15"});
  facts.setup_py = project::SetupPy{.python_requires = ">=3.12,<3.14"};
  CHECK(choose_pythons(facts).values == Texts{"3.12", "3.13"});
  facts.setup_py->python_requires = "~=3.13";
  CHECK(choose_pythons(facts).values == Texts{"3.13", "3.14", "3.15"});
  facts.setup_py->python_requires = ">=3.10";
  CHECK(choose_pythons(facts).because ==
        "requires-python is `>=3.10`; 3.10 and older are past their end of life");
  facts.setup_py->python_requires = "==3.9.*";
  CHECK(choose_pythons(facts).values == Texts{"3.9"});
}

TEST_CASE("cibuildwheel wins over workflows, and these over classifiers") {
  ProjectFacts facts;
  facts.tools.classifiers = {"Programming Language :: Python :: 3.9",
                             "Programming Language :: Python :: 3.10"};
  CHECK(choose_pythons(facts).values == Texts{"3.9", "3.10"});
  facts.workflow.pythons = {"3.12", "3.11", "3.7"};
  CHECK(choose_pythons(facts).values == Texts{"3.11", "3.12"});
  facts.cibuildwheel.options["build"] = words("cp{312,313,313t}-* pp310-*");
  CHECK(choose_pythons(facts).values == Texts{"3.12", "3.13", "3.13t"});
  CHECK(choose_pythons(facts).because == "cibuildwheel's `build` (pyproject.toml)");
  facts.cibuildwheel.options["skip"] = words("cp312-* *-musllinux*");
  CHECK(choose_pythons(facts).values == Texts{"3.13", "3.13t"});
}

TEST_CASE("globs that name no free-threaded Python bring none, and stale lists are passed over") {
  ProjectFacts facts;
  facts.cibuildwheel.options["build"] = words("cp313*");
  CHECK(choose_pythons(facts).values == Texts{"3.13"});
  facts.cibuildwheel.options["build"] = words("cp36-*");
  CHECK(choose_pythons(facts).values.size() == 5);
}

TEST_CASE("a limited API and torch narrow the list") {
  const PythonChoice all{{"3.10", "3.12", "3.13t", "3.14"}, "x"};
  const PythonChoice limited = with_limited_api(all, "3.12", {});
  CHECK(limited.values == Texts{"3.12", "3.14"});
  CHECK(limited.because == "x; only those with the limited API of 3.12");
  CHECK(limited.left_out ==
        std::vector<LeftOut>{{"Python `3.10` (x)", "older than the limited API of 3.12"}});
  CHECK(with_limited_api(all, "3.12", {.older = true}).values == Texts{"3.10", "3.12", "3.14"});
  CHECK(with_limited_api(all, "3.12", {.threaded = true}).values == Texts{"3.12", "3.13t", "3.14"});
  CHECK(with_limited_api(all, "3.12", {true, true}).left_out.empty());
  CHECK(with_limited_api({{"3.10"}, "x"}, "3.13", {}).values == Texts{"3.13"});
  CHECK(with_limited_api({{"3.10"}, "x"}, "3.13", {.older = true}).values == Texts{"3.10"});
  const std::vector<KnownTorch> known = {{"2.14", {"3.10", "3.12", "3.14"}},
                                         {"2.15", {"3.12", "3.14"}}};
  CHECK(with_torch(all, known, {"2.14", "2.15"}).values == Texts{"3.12", "3.14"});
  CHECK(with_torch(all, known, {"2.14", "2.15"}).left_out ==
        std::vector<LeftOut>{
            {"Python `3.10` (x)", "there are no builds of torch 2.14 and 2.15 for it"}});
  CHECK(with_torch(all, known, {}).values == all.values);
  const PythonChoice old = with_torch({{"3.9"}, "the project's classifiers"}, known, {"2.15"});
  CHECK(old.values == Texts{"3.12", "3.14"});
  CHECK(old.because ==
        "torch 2.15 has builds for these, and for none of the project's classifiers");
}

TEST_CASE("Pythons that the project names and the matrix does not have are said") {
  ProjectFacts facts;
  for (const char* python : {"3.7", "3.8", "3.9", "3.12", "3.15", "3.16"}) {
    facts.tools.classifiers.push_back(std::string("Programming Language :: Python :: ") + python);
  }
  facts.setup_py = project::SetupPy{.python_requires = ">=3.10"};
  const PythonChoice choice = choose_pythons(facts);
  CHECK(choice.values == Texts{"3.12", "3.15"});
  CHECK(choice.left_out ==
        std::vector<LeftOut>{
            {"Python `3.7`, `3.8`, `3.16` (the project's classifiers)",
             "`init` writes 3.9 to 3.15; `axes.python` takes others, too"},
            {"Python `3.9` (the project's classifiers)", "`requires-python` is `>=3.10`"}});
  facts.cibuildwheel.options["build"] = words("cp38-* cp312-*");
  CHECK(choose_pythons(facts).left_out.at(0).what ==
        "Python `3.8` (cibuildwheel's `build` (pyproject.toml))");
}

TEST_CASE("a classifier for free-threaded Pythons brings those that are no experiment") {
  ProjectFacts facts;
  facts.setup_py = project::SetupPy{.python_requires = ">=3.13"};
  facts.tools.classifiers = {"Programming Language :: Python :: Free Threading :: 2 - Beta"};
  CHECK(choose_pythons(facts).values == Texts{"3.13", "3.14", "3.14t", "3.15", "3.15t"});
  facts.cibuildwheel.options["build"] = words("cp31[34]*");
  CHECK(choose_pythons(facts).values == Texts{"3.13", "3.14", "3.14t"});
  facts.cibuildwheel.options.clear();
  facts.tools.classifiers.push_back("Programming Language :: Python :: 3.14");
  CHECK(choose_pythons(facts).values == Texts{"3.14", "3.14t"});
  facts.tools.classifiers = {"Programming Language :: Python :: Free Threading :: 1 - Unstable"};
  CHECK(choose_pythons(facts).values == Texts{"3.13", "3.14", "3.15"});
}

TEST_CASE("what the user wants wins over every file") {
  ProjectFacts facts;
  facts.wanted_pythons = {"3.11"};
  facts.cibuildwheel.options["build"] = words("cp312-*");
  CHECK(choose_pythons(facts).values == Texts{"3.11"});
  CHECK(choose_pythons(facts).because == "`--python`");
}

TEST_CASE("tags of Pythons") {
  CHECK(python_of_tag("cp310") == "3.10");
  CHECK(python_of_tag("cp3").empty());
  CHECK(python_of_tag("py3").empty());
  CHECK(python_of_tag("cp313t").empty());
}

}  // namespace
}  // namespace pinwheel::init
