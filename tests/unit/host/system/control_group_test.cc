#include "host/system/control_group.h"

#include <string>

#include "unit/catch.h"
#include "unit/host/scratch.h"

using namespace pinwheel;
using namespace std::chrono_literals;
using host::ContainerGroups;
using host::ContainerUsage;
using host::ControlGroup;
using host::GroupVersion;

namespace {

const std::string kId(64, 'a');
constexpr const char* kRoot = "/sys/fs/cgroup";

ContainerGroups groups_in(const std::string& proc_cgroup) {
  return host::groups_of_container(proc_cgroup, kId, kRoot);
}

ContainerGroups unified(const std::string& directory) {
  const ControlGroup group{GroupVersion::v2, kRoot + directory};
  return {group, group};
}

}  // namespace

TEST_CASE("the groups of a container are those that its engine has named after it") {
  CHECK(groups_in("0::/docker/" + kId + "\n") == unified("/docker/" + kId));
  CHECK(groups_in("0::/system.slice/docker-" + kId + ".scope\n") ==
        unified("/system.slice/docker-" + kId + ".scope"));
  // crun has a group below that of Podman, and systemd in a container has more.
  CHECK(groups_in("0::/machine.slice/libpod-" + kId + ".scope/container\n") ==
        unified("/machine.slice/libpod-" + kId + ".scope"));
  CHECK(groups_in("0::/docker/" + kId + "/docker/" + kId + "/init.scope\n") ==
        unified("/docker/" + kId));
}

TEST_CASE("each controller of version 1 has a hierarchy of its own") {
  const std::string docker = "/docker/" + kId;
  const ContainerGroups expected{ControlGroup{GroupVersion::v1, kRoot + ("/memory" + docker)},
                                 ControlGroup{GroupVersion::v1, kRoot + ("/cpuacct" + docker)}};
  CHECK(groups_in("11:memory:" + docker + "\n4:cpu,cpuacct:" + docker +
                  "\n1:name=systemd:" + docker + "\n0::" + docker + "\n") == expected);
  CHECK(groups_in("2:cpuacct:" + docker + "\n4:memory:" + docker + "\n") == expected);
  // Only one of them is in version 1.
  const ContainerGroups mixed = groups_in("4:memory:" + docker + "\n0::" + docker + "\n");
  CHECK(mixed.memory == expected.memory);
  CHECK(mixed.cpu == ControlGroup{GroupVersion::v2, kRoot + docker});
  CHECK_FALSE(groups_in("2:cpuacct:" + docker + "\n4:memory:/\n0::/\n").memory);
}

TEST_CASE("processes outside of the container have none of its groups") {
  CHECK_FALSE(groups_in("").any());
  CHECK_FALSE(groups_in("0::/\n").any());
  CHECK_FALSE(groups_in("0::/user.slice/user-1000.slice/session-2.scope\n").any());
  CHECK_FALSE(groups_in("0::/docker/" + std::string(64, 'b') + "\n").any());
  CHECK_FALSE(groups_in("0::/../docker/" + kId + "\n").any());
  CHECK_FALSE(groups_in("no lines " + kId).any());
  CHECK_FALSE(groups_in("0:" + kId).any());
  CHECK_FALSE(host::groups_of_container("0::/docker/" + kId + "\n", "", kRoot).any());
}

TEST_CASE("the first process of a PID namespace has the number 1 in it") {
  CHECK(host::is_first_of_namespace("Name:\tmake\nPid:\t4711\nNSpid:\t4711\t1\nThreads:\t1\n"));
  CHECK(host::is_first_of_namespace("NSpid:\t4711\t12\t1\n"));
  // A child of the first one, pinwheel's own neighbors, and the first process that it sees itself.
  CHECK_FALSE(host::is_first_of_namespace("NSpid:\t4711\t2\n"));
  CHECK_FALSE(host::is_first_of_namespace("NSpid:\t4711\t1\t7\n"));
  CHECK_FALSE(host::is_first_of_namespace("NSpid:\t4711\n"));
  CHECK_FALSE(host::is_first_of_namespace("NSpid:\t1\n"));
  CHECK_FALSE(host::is_first_of_namespace("Name:\tmake\n"));
  CHECK_FALSE(host::is_first_of_namespace(""));
}

TEST_CASE("cpu.stat has the processor time in microseconds") {
  CHECK(host::usage_of_cpu_stat("usage_usec 1500\nuser_usec 1000\nsystem_usec 500\n") == 1500us);
  CHECK(host::usage_of_cpu_stat("nr_periods 0\nusage_usec 7") == 7us);
  CHECK_FALSE(host::usage_of_cpu_stat("user_usec 1000\n"));
  CHECK_FALSE(host::usage_of_cpu_stat("usage_usec many\n"));
  CHECK_FALSE(host::usage_of_cpu_stat(""));
}

TEST_CASE("a group of version 1 counts its peak and its nanoseconds") {
  const Scratch scratch;
  const auto place = [&](const char* name) { return (scratch.path() / name).string(); };
  const ContainerGroups groups{ControlGroup{GroupVersion::v1, place("memory")},
                               ControlGroup{GroupVersion::v1, place("cpuacct")}};
  ContainerUsage usage;
  host::update_usage(groups, usage);
  CHECK(usage == ContainerUsage{});
  scratch.write("memory/memory.max_usage_in_bytes", "4096\n");
  scratch.write("cpuacct/cpuacct.usage", "2000999\n");
  host::update_usage(groups, usage);
  CHECK(usage == ContainerUsage{4096, 2000us});
}

TEST_CASE("a group of version 2 counts its peak, or how much memory it has now") {
  const Scratch scratch;
  const ControlGroup group{GroupVersion::v2, scratch.path().string()};
  const ContainerGroups groups{group, group};
  ContainerUsage usage;
  scratch.write("memory.current", "500\n");
  scratch.write("cpu.stat", "usage_usec 10\n");
  host::update_usage(groups, usage);
  CHECK(usage == ContainerUsage{500, 10us});
  scratch.write("memory.current", "300\n");
  scratch.write("cpu.stat", "usage_usec 20\n");
  host::update_usage(groups, usage);
  CHECK(usage == ContainerUsage{500, 20us});
  scratch.write("memory.peak", "900\n");
  host::update_usage(groups, usage);
  CHECK(usage == ContainerUsage{900, 20us});
}

TEST_CASE("what was counted remains when a group has been removed") {
  const Scratch scratch;
  const ControlGroup group{GroupVersion::v2, (scratch.path() / "group").string()};
  ContainerUsage usage{900, 20us};
  host::update_usage({group, group}, usage);
  CHECK(usage == ContainerUsage{900, 20us});
  host::update_usage({}, usage);
  CHECK(usage == ContainerUsage{900, 20us});
}
