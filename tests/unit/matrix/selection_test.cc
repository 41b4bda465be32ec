#include "matrix/selection.h"

#include "unit/matrix/parsed.h"

using namespace pinwheel;
using namespace pinwheel::matrix;
using testing::parsed;
using testing::value_of;

namespace {

using Names = std::vector<std::string>;

const std::string kBody =
    "axes: {python: ['3.11', '3.12'], compute: [cpu, cuda/13.0, rocm/7.1]}\n"
    "channels: {ci: {}, release: {select: {compute: '!rocm/*'}}, empty: {select: {python: '2'}}}\n"
    "rules:\n"
    "  - {when: {compute: 'rocm/*', python: '3.11'}, status: unmaintained}\n"
    "  - {when: {compute: 'rocm/*', python: '3.12'}, status: unsupported, because: too new}\n";

Result<std::vector<Variant>> run(const SelectionRequest& request) {
  const Matrix matrix = parsed(kBody);
  return select(matrix, value_of(expand(matrix)), request);
}

Names taken(const SelectionRequest& request) {
  return testing::ids_of(value_of(run(request)));
}

Error refused(const SelectionRequest& request) {
  Result<std::vector<Variant>> result = run(request);
  if (result) FAIL("nothing was refused");
  return std::move(result.error());
}

}  // namespace

TEST_CASE("an empty request selects supported and experimental variants") {
  CHECK(taken({}) == Names{"cp311-cpu", "cp311-cu130", "cp312-cpu", "cp312-cu130"});
}

TEST_CASE("globs on ids select the union of their matches, in matrix order") {
  CHECK(taken({.globs = {"cp312-*"}}) == Names{"cp312-cpu", "cp312-cu130"});
  CHECK(taken({.globs = {"cp312-cpu", "cp311-{cpu,cu130}"}}) ==
        Names{"cp311-cpu", "cp311-cu130", "cp312-cpu"});
}

TEST_CASE("selectors on axes all hold, with alternatives and !") {
  CHECK(taken({.selectors = {"python=3.11,3.12", "compute=!cuda/*"}}) ==
        Names{"cp311-cpu", "cp312-cpu"});
  CHECK(taken({.selectors = {"compute=cuda/13"}}) == Names{"cp311-cu130", "cp312-cu130"});
  CHECK(taken({.selectors = {"compute={cpu,cuda/*}", "python=3.12"}}) ==
        Names{"cp312-cpu", "cp312-cu130"});
}

TEST_CASE("selectors on one axis are alternatives") {
  CHECK(taken({.selectors = {"python=3.12", "python=3.11", "compute=cpu"}}) ==
        Names{"cp311-cpu", "cp312-cpu"});
  CHECK(taken({.selectors = {"compute=cpu", "compute=!cuda/*"}}) ==
        Names{"cp311-cpu", "cp312-cpu"});
  CHECK(taken({.selectors = {"compute=!cuda/*", "compute=!rocm/*"}}) ==
        Names{"cp311-cpu", "cp312-cpu"});
  CHECK(refused({.selectors = {"python=3.12", "python=3.13"}}).kind == ErrorKind::usage);
}

TEST_CASE("braces in selectors may be nested, and without a partner they are text") {
  CHECK(taken({.selectors = {"compute={cpu,{cuda,rocm}/*}", "python=3.12"}}) ==
        Names{"cp312-cpu", "cp312-cu130"});
  CHECK(taken({.globs = {"cp31{1,2}-{cpu,{cu,rocm}1*}"}}).size() == 4);
  CHECK(refused({.selectors = {"compute={cpu,cuda/*"}}).message ==
        "`{cpu` matches no value of axis `compute`");
  CHECK(refused({.globs = {"{cp312-cpu}"}}).message == "no variant has the id `{cp312-cpu}`");
}

TEST_CASE("an excluded value may be excluded already, a selected value must exist") {
  const Names all = taken({});
  CHECK(taken({.skip = {"cp312-rocm7.1"}}) == all);
  CHECK(taken({.skip = {"*-rocm*", "cp312-rocm*"}}) == all);
  CHECK(taken({.globs = {"cp312-*"}, .selectors = {"python=3.12"}, .skip = {"cp311-*"}}) ==
        Names{"cp312-cpu", "cp312-cu130"});
  CHECK(taken({.skip = {"*-rocm*"}, .channel = "release"}) == all);
  CHECK(refused({.skip = {"*-rocm*", "*-xpu"}}).message == "`*-xpu` matches no variant");
  CHECK(refused({.selectors = {"python=3.12,3.14"}}).message ==
        "`3.14` matches no value of axis `python`");

  const Matrix matrix = parsed(
      "axes: {python: ['3.11', '3.12'], compute: [cpu, rocm/7.1]}\n"
      "exclude: [{compute: 'rocm/*'}]\n");
  const Expansion expansion = value_of(expand(matrix));
  const auto ids = [&](const SelectionRequest& request) {
    return testing::ids_of(value_of(select(matrix, expansion, request)));
  };
  const Names both = {"cp311-cpu", "cp312-cpu"};
  CHECK(ids({.skip = {"*-rocm*"}}) == both);
  CHECK(ids({.selectors = {"compute=!rocm/*"}}) == both);
  CHECK_FALSE(select(matrix, expansion, {.selectors = {"compute=rocm/*"}}));
  CHECK_FALSE(select(matrix, expansion, {.selectors = {"compute=cpu,rocm/*"}}));
  CHECK_FALSE(select(matrix, expansion, {.selectors = {"compute=!xpu"}}));
}

TEST_CASE("`--skip` takes precedence over a selection") {
  CHECK(taken({.globs = {"cp312-*"}, .skip = {"*-cpu"}}) == Names{"cp312-cu130"});
  CHECK(refused({.skip = {"*"}, .only = {"cp312-cpu"}}).kind == ErrorKind::nothing_selected);
}

TEST_CASE("only selects exact ids") {
  CHECK(taken({.only = {"cp312-cpu"}}) == Names{"cp312-cpu"});
}

TEST_CASE("a channel narrows and a status widens the selection") {
  CHECK(taken({.channel = "release", .status = {Status::supported, Status::unmaintained}}).size() ==
        4);
  CHECK(taken({.channel = "ci", .status = {Status::unmaintained}}) == Names{"cp311-rocm7.1"});
}

TEST_CASE("an unknown name is a usage error with the nearest name") {
  const Error axis = refused({.selectors = {"pyton=3.11"}});
  CHECK(axis.kind == ErrorKind::usage);
  CHECK(axis.message == "unknown axis `pyton`");
  CHECK(axis.hint == "did you mean `python`?");

  const Error value = refused({.selectors = {"python=3.13"}});
  CHECK(value.kind == ErrorKind::usage);
  CHECK(value.message == "`3.13` matches no value of axis `python`");

  CHECK(refused({.selectors = {"python"}}).kind == ErrorKind::usage);
  CHECK(refused({.selectors = {"python="}}).kind == ErrorKind::usage);

  const Error id = refused({.only = {"cp312-cpx"}});
  CHECK(id.kind == ErrorKind::usage);
  CHECK(id.message == "no variant has the id `cp312-cpx`");
  CHECK(id.hint == "did you mean `cp312-cpu`?");

  CHECK(refused({.globs = {"cp313-*"}}).message == "`cp313-*` matches no variant");
  CHECK(refused({.skip = {"cp313-*"}}).kind == ErrorKind::usage);

  const Error channel = refused({.channel = "relase"});
  CHECK(channel.kind == ErrorKind::usage);
  CHECK(channel.hint == "did you mean `release`?");
}

TEST_CASE("an excluded id is reported with the rule and its reason") {
  const Error error = refused({.only = {"cp312-rocm7.1"}});
  CHECK(error.kind == ErrorKind::usage);
  CHECK(error.message == "`cp312-rocm7.1` is excluded by a rule");
  CHECK(error.at->line == 7);
  CHECK(error.hint == "too new");
}

TEST_CASE("an empty selection names the filter that removed the last variant") {
  const Error channel = refused({.channel = "empty"});
  CHECK(channel.kind == ErrorKind::nothing_selected);
  CHECK(channel.message == "no variant is selected: none of them runs in channel `empty`");

  const Error status = refused({.globs = {"*-rocm*"}});
  CHECK(status.kind == ErrorKind::nothing_selected);
  CHECK(status.hint == "`--status unmaintained` widens the selection");

  const Error both = refused({.globs = {"cp312-*"}, .only = {"cp311-cpu"}});
  CHECK(both.kind == ErrorKind::nothing_selected);

  const Error selectors = refused({.globs = {"cp312-*"}, .selectors = {"python=3.11"}});
  CHECK(selectors.message == "no variant is selected: `python=3.11` matches none of them");
}
