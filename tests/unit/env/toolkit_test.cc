#include "env/toolkit.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::env;

TEST_CASE("releases are parsed from the compilers' output") {
  CHECK(parse_nvcc_release("nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release "
                           "13.0, V13.0.88\n") == "13.0.88");
  CHECK(parse_hip_release("HIP version: 5.2.21153-0\nclang version 15\n") == "5.2.21153");
  CHECK_FALSE(parse_nvcc_release("HIP version: 5.2.21153-0\n").has_value());
  CHECK_FALSE(parse_hip_release("Cuda compilation tools, release 13.0, V13.0.88\n").has_value());
  CHECK(major_minor("13.0.88") == "13.0");
  CHECK(major_minor("13") == "13");
}

TEST_CASE("a toolkit is named by major and minor version") {
  CHECK(toolkit_name("cuda/13.0.1") == "cuda/13.0");
  CHECK(toolkit_name("cuda/13.0") == "cuda/13.0");
  CHECK(toolkit_name("rocm/6.4.2") == "rocm/6.4");
  CHECK(toolkit_name("cpu") == "cpu");
}

TEST_CASE("family and version of host compilers are parsed") {
  const HostCompiler gcc = parse_host_compiler(
      "g++",
      "g++ (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright (C) 2022 Free Software Foundation, "
      "Inc.\n");
  CHECK(gcc.family == CompilerFamily::gcc);
  CHECK(gcc.major == 12);
  CHECK(gcc.version == "12.2.0");
  const HostCompiler clang =
      parse_host_compiler("clang++", "Debian clang version 14.0.6\nTarget\n");
  CHECK(clang.family == CompilerFamily::clang);
  CHECK(clang.major == 14);
  CHECK(parse_host_compiler("cc", "tcc 0.9").family == CompilerFamily::other);
}

TEST_CASE("the toolkit's own header takes precedence over the table") {
  CHECK(supported_compilers("13.0.88", "").gcc_max == 15);
  CHECK(supported_compilers("12.4", "").gcc_max == 13);
  CHECK(supported_compilers("11.8", "").gcc_max == 11);
  CHECK(supported_compilers("99.1", "").gcc_max == 0);
  const CompilerRange own = supported_compilers(
      "13.0",
      "#if __GNUC__ > 16\n#error x\n#if (__clang_major__ >= 23) || (__clang_major__ < 3)\n");
  CHECK(own.gcc_max == 16);
  CHECK(own.clang_max == 22);
}

TEST_CASE("an unsupported host compiler is rejected with the supported range") {
  const HostCompiler gcc12{"g++", CompilerFamily::gcc, 12, "12.2.0"};
  CHECK(check_compiler(gcc12, supported_compilers("13.0", ""), "cuda/13.0").has_value());
  const auto refused = check_compiler(gcc12, supported_compilers("11.8", ""), "cuda/11.8");
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().kind == ErrorKind::environment);
  CHECK(refused.error().message.find("gcc 6 to 11") != std::string::npos);
  CHECK(refused.error().hint.find("g++-11") != std::string::npos);
  CHECK(check_compiler(gcc12, {}, "rocm/5.2").has_value());
}

TEST_CASE("a toolkit has the variables for its builds") {
  CHECK(cuda_toolkit("/p", "13.2.86").variables.at("LIBRARY_PATH") == "/p/lib64:/p/lib");
  CHECK(cuda_toolkit("/p", "13.2.86").name == "cuda/13.2");
  const Toolkit amds = rocm_toolkit("/opt/rocm-7.1.0", "/opt/rocm-7.1.0/bin/hipcc", "7.1.25424");
  CHECK(amds.variables == std::map<std::string, std::string>{{"HIP_PLATFORM", "amd"},
                                                             {"PATH", "/opt/rocm-7.1.0/bin"},
                                                             {"ROCM_PATH", "/opt/rocm-7.1.0"}});
  const Toolkit distributions = rocm_toolkit("/usr", "/usr/bin/hipcc", "7.2.53211");
  CHECK(distributions.prefix == "/usr");
  CHECK(distributions.variables ==
        std::map<std::string, std::string>{{"HIP_PLATFORM", "amd"}, {"PATH", "/usr/bin"}});
}
