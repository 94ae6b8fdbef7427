#include "node/volumes/mounts.h"

#include "object/yaml/yaml.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace trainyard::node {
namespace {

const Paths kPaths("/data");

Json pod() {
  return *parse_json_or_yaml(R"(
metadata: {name: p, namespace: demo, uid: u-1}
spec:
  volumes:
  - {name: shared, persistentVolumeClaim: {claimName: datasets}}
  - {name: frozen, persistentVolumeClaim: {claimName: frozen}}
  - {name: guarded, persistentVolumeClaim: {claimName: datasets, readOnly: true}}
  - {name: lost, persistentVolumeClaim: {claimName: missing}}
  - {name: scratch, emptyDir: {}}
  - {name: shm, emptyDir: {medium: Memory, sizeLimit: 64Mi}}
  - {name: host, hostPath: {path: /mnt/nfs}}
  - {name: config, configMap: {name: settings}}
  - {name: strange, iscsi: {lun: 0}}
)");
}

Result<ClaimFolder> find_claim(const std::string& claim) {
  if (claim == "missing") return Error(Code::kNotFound, "no claim missing");
  return ClaimFolder{"/data/volumes/demo/" + claim, claim == "frozen"};
}

Result<std::vector<Mount>> plan(const std::string& mounts) {
  return plan_mounts(pod(), *parse_json_or_yaml("name: main\nvolumeMounts: [" + mounts + "]"),
                     kPaths, find_claim, {{"RUN", "7"}});
}

/// "rw /source on /target", "tmpfs 64 on /target": the mounts that the container asked for.
std::string describe(const Result<std::vector<Mount>>& mounts) {
  if (!mounts) return mounts.error().message();
  std::string text;
  for (const Mount& mount : *mounts) {
    if (mount.target == "/etc/hosts" || mount.target == "/tmp" ||
        (mount.target == "/dev/shm" && mount.size == 0 && mount.source.empty())) {
      continue;  // what every container gets
    }
    text += text.empty() ? "" : "; ";
    text += mount.type == Mount::Type::kTmpfs ? fmt::format("tmpfs {}", mount.size)
                                              : (mount.read_only ? "ro " : "rw ") + mount.source;
    if (!mount.sub_path.empty()) text += "//" + mount.sub_path;
    text += " on " + mount.target;
  }
  return text;
}

TEST(PlanMounts, GivesEveryContainerATmpOfItsOwn) {
  const auto mounts = plan("{name: shm, mountPath: /dev/shm}");
  ASSERT_TRUE(mounts);
  const auto tmp = std::find_if(mounts->begin(), mounts->end(),
                                [](const Mount& mount) { return mount.target == "/tmp"; });
  ASSERT_NE(tmp, mounts->end());
  EXPECT_TRUE(tmp->source.starts_with("/data/pods/u-1/")) << tmp->source;
  EXPECT_TRUE(tmp->make_source);
}

TEST(PlanMounts, LetsContainersShareMemory) {
  const auto mounts = plan("{name: shm, mountPath: /dev/shm}");
  ASSERT_TRUE(mounts);
  EXPECT_TRUE(mounts->back().in_memory && mounts->back().make_source);
  EXPECT_EQ(mounts->back().size, 67108864);
}

/// As planned where the server cannot mount, for a pod of so many containers with one volume.
std::string planned_without_rights(int containers, const char* more = "") {
  Json made = *parse_json_or_yaml(
      "metadata: {uid: u-1}\nspec: {volumes: [{name: shm, emptyDir: {medium: Memory}}]}");
  const Json container = *parse_json_or_yaml(
      fmt::format("name: main\nvolumeMounts: [{{name: shm, mountPath: /m{}}}]", more));
  JsonArray list;
  for (int i = 0; i < containers; ++i) list.push_back(container);
  make_path(made, "spec.containers") = std::move(list);
  return describe(plan_mounts(made, container, kPaths, find_claim, {}, SharedMemory::kNo));
}

TEST(PlanMounts, SharesADiskWhereMemoryCannotBeShared) {
  EXPECT_EQ(planned_without_rights(1), "tmpfs 0 on /m");
  EXPECT_EQ(planned_without_rights(1, ", subPath: a"),
            "volume shm is in memory: it cannot have a subPath");
  EXPECT_EQ(planned_without_rights(2), "rw /data/pods/u-1/volumes/shm on /m");
}

TEST(PlanMounts, MountsVolumesWhereTheyAreAskedFor) {
  struct Case {
    const char* mount;
    const char* expected;
  };
  const Case cases[] = {
      {"{name: shared, mountPath: /in}", "rw /data/volumes/demo/datasets on /in"},
      {"{name: shared, mountPath: /in, readOnly: true}", "ro /data/volumes/demo/datasets on /in"},
      {"{name: frozen, mountPath: /in}", "ro /data/volumes/demo/frozen on /in"},
      {"{name: guarded, mountPath: /in}", "ro /data/volumes/demo/datasets on /in"},
      {"{name: shared, mountPath: /in, subPath: a/b}",
       "rw /data/volumes/demo/datasets//a/b on /in"},
      {"{name: shared, mountPath: /in, subPathExpr: runs/$(RUN)}",
       "rw /data/volumes/demo/datasets//runs/7 on /in"},
      {"{name: scratch, mountPath: /in, subPath: a}",
       "rw /data/pods/u-1/volumes/scratch//a on /in"},
      {"{name: config, mountPath: /in}", "ro /data/pods/u-1/volumes/config on /in"},
      {"{name: scratch, mountPath: /tmp/x}", "rw /data/pods/u-1/volumes/scratch on /tmp/x"},
      {"{name: shm, mountPath: /dev/shm}", "rw /data/pods/u-1/volumes/shm on /dev/shm"},
      {"{name: shm, mountPath: /in, subPath: a}", "rw /data/pods/u-1/volumes/shm//a on /in"},
      {"{name: host, mountPath: /mnt}", "rw /mnt/nfs on /mnt"},
  };
  for (const Case& expected : cases) {
    EXPECT_EQ(describe(plan(expected.mount)), expected.expected) << expected.mount;
  }
}

TEST(PlanMounts, KeepsTheOrderAndAllowsAVolumeTwice) {
  EXPECT_EQ(describe(plan("{name: shared, mountPath: /a}, {name: shared, mountPath: /a/b, "
                          "subPath: c}")),
            "rw /data/volumes/demo/datasets on /a; rw /data/volumes/demo/datasets//c on /a/b");
}

TEST(PlanMounts, EveryContainerGetsItsHostsFileBeforeItsVolumes) {
  const auto mounts = plan("{name: shm, mountPath: /dev/shm}");
  ASSERT_TRUE(mounts);
  EXPECT_EQ(mounts->front().source, "/data/pods/u-1/hosts");
  EXPECT_EQ(mounts->front().target, "/etc/hosts");
  EXPECT_EQ(mounts->back().size, 64 << 20) << "the pod's own /dev/shm lies above the default one";
}

TEST(PlanMounts, OnlyFoldersOfThePodItselfAreMade) {
  const auto scratch = plan("{name: scratch, mountPath: /s}");
  const auto shared = plan("{name: shared, mountPath: /s}");
  ASSERT_TRUE(scratch && shared);
  EXPECT_TRUE(scratch->back().make_source);
  EXPECT_FALSE(shared->back().make_source);
}

TEST(PlanMounts, WaitsForAMissingClaim) {
  EXPECT_TRUE(plan("{name: lost, mountPath: /in}").failed_with(Code::kNotFound));
}

TEST(PlanMounts, RefusesWhatCannotBeHad) {
  for (const char* mount : {
           "{name: unknown, mountPath: /in}",
           "{name: strange, mountPath: /in}",
           "{name: shared, mountPath: /in, subPath: ../other}",
           "{name: shared, mountPath: /in, subPath: a/../../b}",
           "{name: shared, mountPath: /in, subPath: /etc}",
           "{name: shared, mountPath: /in, subPathExpr: $(NOBODY)}",
       }) {
    EXPECT_TRUE(plan(mount).failed_with(Code::kInvalid)) << mount;
  }
}

}  // namespace
}  // namespace trainyard::node
