#include "slurm/script.h"

#include "unit/catch.h"

namespace pinwheel::slurm {
namespace {

JobArray array_of_two() {
  JobArray array;
  array.request.kind = JobKind::test;
  array.request.minutes = 90;
  array.request.megabytes = 4096;
  array.request.cores = 8;
  array.request.gres = "gpu:1";
  array.request.options = {"--constraint=avx512"};
  array.elements = {{0, {"token0", "test:a"}}, {3, {"token3", "test:b@it's"}}};
  return array;
}

JobSite site() {
  return {"/shared dir/run",
          "/opt/pinwheel",
          "/home/me/checkout",
          {"--store", "dir:/shared dir/store"},
          {"HOME", "PATH", "TMPDIR"}};
}

bool has_line(const std::string& text, const std::string& line) {
  INFO(text);
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

}  // namespace

TEST_CASE("a script states what its array requests") {
  const std::string text = script_of(array_of_two(), "abc", site(), {0, 3});
  CHECK(text.starts_with("#!/bin/bash\n#SBATCH "));
  for (const char* line :
       {"#SBATCH --comment=\"pinwheel:abc\"", "#SBATCH --array=\"0,3\"", "#SBATCH --time=\"90\"",
        "#SBATCH --mem=\"4096M\"", "#SBATCH --cpus-per-task=\"8\"", "#SBATCH --gres=\"gpu:1\"",
        "#SBATCH --constraint=avx512", "#SBATCH --export=\"HOME,PATH\"", "#SBATCH --no-requeue",
        "#SBATCH --kill-on-invalid-dep=\"yes\"",
        "#SBATCH --output=\"/shared dir/run/logs/abc.%a.out\"",
        "#SBATCH --chdir=\"/home/me/checkout\""}) {
    CHECK(has_line(text, line));
  }
  CHECK(text.find("--partition") == std::string::npos);
}

TEST_CASE("a script runs the step of its index with the arguments of all jobs, quoted") {
  const std::string text = script_of(array_of_two(), "abc", site(), {0, 3});
  CHECK(has_line(text, "  0) token=token0 step=test:a ;;"));
  CHECK(text.find("test:b@it") != std::string::npos);
  CHECK(text.find("test:b@it's ;;") == std::string::npos);
  CHECK(text.find("/opt/pinwheel test --plan \"$run/plan.json\" --step \"$step\" --reuse-only "
                  "--executor local") != std::string::npos);
  CHECK(text.find("--store 'dir:/shared dir/store'") != std::string::npos);
}

TEST_CASE("a job has its files in a directory of its node") {
  const std::string text = script_of(array_of_two(), "abc", site(), {0, 3});
  CHECK(text.find("export=\"HOME,PATH,TMPDIR") == std::string::npos);
  CHECK(has_line(text, "for each in \"${SLURM_TMPDIR:-}\" \"${TMPDIR:-}\"; do"));
  CHECK(has_line(text, "export TMPDIR=$temporary"));
}

TEST_CASE("indexes are listed as ranges") {
  CHECK(index_list({}).empty());
  CHECK(index_list({4}) == "4");
  CHECK(index_list({0, 1, 2, 5, 7, 8}) == "0-2,5,7-8");
}

TEST_CASE("a path that sbatch would read differently is refused") {
  CHECK(check_site(site()));
  for (const char* path : {"/a\"b", "/a%b", "/a\nb", "/a\\b"}) {
    JobSite odd = site();
    odd.run = path;
    const Done checked = check_site(odd);
    REQUIRE_FALSE(checked);
    CHECK(checked.error().kind == ErrorKind::config);
  }
}

}  // namespace pinwheel::slurm
