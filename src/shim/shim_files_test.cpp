// The built shim with real mounts: what the container sees, and what the host must not see.

#include "shim/test_shim.h"

#include <gtest/gtest.h>

#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace trainyard::shim {
namespace {

class ShimFiles : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root, to make namespaces and mounts";
    mounts_before_ = read_text("/proc/self/mountinfo");
  }
  void TearDown() override {
    // Whatever a container mounts stays in it.
    if (!mounts_before_.empty()) EXPECT_EQ(read_text("/proc/self/mountinfo"), mounts_before_);
  }
  /// A folder on the host with one file in it.
  std::string folder_with(const std::string& name, const std::string& file) {
    std::string folder = shim_.folder(name);
    write_text(folder + "/" + file, "from the host\n");
    return folder;
  }

  TestShim shim_;
  std::string mounts_before_;
};

/// A mount point that exists on no host.
std::string missing_path(const std::string& below = "/") {
  return below + "shim-test-" + std::to_string(::getpid());
}

/// Begins scripts that write to the root: should the overlay be missing, the host is spared.
const std::string kOnlyInOverlay = "grep -q '^overlay / ' /proc/mounts || exit 1; ";

TEST_F(ShimFiles, HasItsOwnHostnameAndProcesses) {
  shim_.add("hostname", "train-worker-0");
  shim_.script("hostname; echo /proc/[0-9]*; cat /proc/1/comm").run();
  EXPECT_EQ(shim_.log().out, "train-worker-0\n/proc/1 /proc/2\ntrainyard-shim\n");
  char name[256];
  ASSERT_EQ(::gethostname(name, sizeof name), 0);
  EXPECT_NE(std::string(name), "train-worker-0");
}

TEST_F(ShimFiles, WritesToTheRootStayPrivate) {
  std::string path = missing_path("/etc/");
  // Not below /tmp, which may be a file system of its own.
  std::string host_file = missing_path("/var/tmp/");
  write_text(host_file, "from the host");
  shim_.overlay().script(kOnlyInOverlay + "echo mine > " + path + " && cat " + path + " && rm " +
                         host_file);
  shim_.run();
  EXPECT_EQ(shim_.log().out, "mine\n") << shim_.log().err << shim_.exit("message");
  EXPECT_EQ(shim_.exit("code"), "0");
  EXPECT_FALSE(exists(path));
  EXPECT_TRUE(exists(host_file));
  ::unlink(host_file.c_str());
  EXPECT_EQ(shim_.file("notes"), "");
}

TEST_F(ShimFiles, AReadOnlyRootStillHasWritableVolumes) {
  std::string folder = shim_.folder("volume");
  shim_.overlay().add("readonly", "1").add("bind", "rw:" + folder + ":" + missing_path());
  shim_.script(
      "echo x > /etc/shim-test || echo refused; echo x > /run/shim-test || echo refused; "
      "echo kept > " +
      missing_path() + "/file && echo null > /dev/null && echo fine");
  shim_.run();
  EXPECT_EQ(shim_.log().out, "refused\nrefused\nfine\n") << shim_.log().err;
  EXPECT_EQ(read_text(folder + "/file"), "kept\n");
}

TEST_F(ShimFiles, HasDevicesOfItsOwn) {
  shim_.overlay().add("devices", "own").add("tmpfs", "0:/dev/shm");
  shim_.script(
      "echo x > /dev/null && head -c 3 /dev/zero | wc -c; ls /dev | tr '\\n' ' '; echo; "
      "test -c /dev/ptmx && echo hi > /dev/shm/x && cat /dev/shm/x && echo out > /dev/stdout; "
      "ls /dev/pts");
  shim_.run();
  std::string out = shim_.log().out;
  EXPECT_TRUE(out.starts_with("3\n")) << out << shim_.log().err;
  EXPECT_TRUE(out.ends_with("\nhi\nout\nptmx\n")) << out << shim_.file("notes");
  for (const char* hidden : {" mem ", " loop", " sda", " vda", " kmsg "}) {
    EXPECT_EQ(out.find(hidden), std::string::npos) << out;
  }
}

TEST_F(ShimFiles, SeesTheHostsOtherMountsThroughThePrivateRoot) {
  shim_.overlay().script(
      "ls /sys/kernel >/dev/null && echo hi > /dev/null && ls /dev/pts >/dev/null && ls / | wc -l");
  shim_.run();
  EXPECT_EQ(shim_.exit("code"), "0") << shim_.log().err;
}

TEST_F(ShimFiles, CanUseTheSameLayerAgain) {
  std::string kept = missing_path();
  std::string root = "overlay:" + shim_.folder("upper") + ":" + shim_.folder("work") + ":" +
                     shim_.folder("merged");
  std::string script = kOnlyInOverlay + "ls " + kept + "; touch " + kept;
  for (const std::string& expected : {std::string(), kept + "\n"}) {
    TestShim shim;
    shim.add("root", root).script(script).run();
    EXPECT_EQ(shim.file("notes"), "");
    EXPECT_EQ(shim.log().out, expected);
  }
}

TEST_F(ShimFiles, HasAnotherTreeForItsRoot) {
  std::string tree = shim_.folder("tree");
  make_tree(tree);
  shim_.overlay().add("lower", tree).add("bind", "ro:/usr:/usr").add("devices", "own");
  shim_.script(
      "cat /etc/os-release; echo mine > /etc/os-release; ls /; echo > /dev/null && "
      "ls /proc/self/fd >/dev/null && echo fine; touch /sys/x || echo refused");
  shim_.run();
  EXPECT_EQ(shim_.log().out, "another\nbin\ndev\netc\nlib\nlib64\nproc\nsys\nusr\nfine\nrefused\n")
      << shim_.log().err << shim_.exit("message");
  EXPECT_EQ(read_text(tree + "/etc/os-release"), "another\n");
}

TEST_F(ShimFiles, MakesItsFolderInAnotherTreeAndInVolumes) {
  std::string tree = shim_.folder("tree");
  make_tree(tree);
  std::string volume = shim_.folder("volume");
  for (const std::string& folder : {std::string("/new/one"), std::string("/vol/new")}) {
    TestShim shim;
    shim.overlay()
        .add("lower", tree)
        .add("bind", "ro:/usr:/usr")
        .add("bind", "rw:" + volume + ":/vol");
    shim.add("readonly", "1").add("cwd", folder).add("makecwd", "1").script("pwd").run();
    EXPECT_EQ(shim.log().out, folder + "\n") << shim.exit("message");
  }
  EXPECT_FALSE(exists(tree + "/new"));
  EXPECT_TRUE(exists(volume + "/new"));
  shim_.overlay().add("lower", tree).add("bind", "ro:/usr:/usr");
  shim_.add("cwd", "/etc/os-release/x").add("makecwd", "1").script("pwd").run();
  EXPECT_NE(shim_.exit("message").find("workingDir /etc/os-release/x cannot be made: "),
            std::string::npos)
      << shim_.exit("message");
}

TEST_F(ShimFiles, NeverTakesTheHostsRootForAnother) {
  shim_.overlay().add("lower", "/no/such/tree").script("echo started").run();
  EXPECT_EQ(shim_.log().out, "");
  EXPECT_EQ(shim_.exit("message"),
            "the root /no/such/tree cannot be used: overlay: No such file or directory");
}

TEST_F(ShimFiles, LetsOtherUsersIntoThePrivateRoot) {
  ::chmod(shim_.folder("upper").c_str(), 0700);
  shim_.overlay().add("uid", "1234").script("cat /etc/hostname > /dev/null && id -u").run();
  EXPECT_EQ(shim_.log().out, "1234\n") << shim_.exit("message");
}

TEST_F(ShimFiles, BindsVolumesWithTheRightsAsked) {
  std::string rw = folder_with("rw", "a");
  std::string ro = folder_with("ro", "a");
  shim_.overlay().add("bind", "rw:" + rw + ":/vol/rw:x").add("bind", "ro:" + ro + ":/vol/ro");
  shim_.script("cat /vol/rw:x/a /vol/ro/a; echo new > /vol/rw:x/b; echo new > /vol/ro/b").run();
  EXPECT_EQ(shim_.log().out, "from the host\nfrom the host\n");
  EXPECT_NE(shim_.log().err.find("Read-only file system"), std::string::npos);
  EXPECT_EQ(read_text(rw + "/b"), "new\n");
  EXPECT_FALSE(exists(ro + "/b"));
  EXPECT_FALSE(exists("/vol"));
}

TEST_F(ShimFiles, MakesSubmountsOfReadOnlyVolumesReadOnlyToo) {
  std::string volume = shim_.folder("volume");
  std::string inner = shim_.folder("volume/inner");
  ASSERT_EQ(::mount("tmpfs", inner.c_str(), "tmpfs", 0, "size=64k"), 0);
  shim_.overlay().add("bind", "ro:" + volume + ":/vol").script("touch /vol/inner/x").run();
  EXPECT_NE(shim_.exit("code"), "0");
  EXPECT_FALSE(exists(inner + "/x"));
  EXPECT_EQ(::umount2(inner.c_str(), 0), 0);
}

TEST_F(ShimFiles, BindsSingleFiles) {
  std::string hosts = folder_with("files", "hosts") + "/hosts";
  shim_.overlay().add("bind", "ro:" + hosts + ":/etc/hosts");
  shim_.add("bind", "rw:" + hosts + ":" + missing_path("/etc/new/"));
  shim_.script("cat /etc/hosts " + missing_path("/etc/new/")).run();
  EXPECT_EQ(shim_.log().out, "from the host\nfrom the host\n");
  EXPECT_FALSE(exists("/etc/new"));
}

TEST_F(ShimFiles, MountsNestedVolumesWhateverTheirOrder) {
  std::string outer = folder_with("outer", "a");
  std::string inner = folder_with("inner", "b");
  shim_.overlay().add("bind", "ro:" + inner + ":/v/w/in").add("bind", "rw:" + outer + ":/v/w");
  shim_.add("tmpfs", "0:/v").script("ls /v/w /v/w/in").run();
  EXPECT_EQ(shim_.log().out, "/v/w:\na\nin\n\n/v/w/in:\nb\n");
}

TEST_F(ShimFiles, LimitsTmpfs) {
  shim_.overlay()
      .add("tmpfs", "1048576:/scratch")
      .script("stat -c %a /scratch; head -c 2000000 /dev/zero > /scratch/x; stat -c %s /scratch/x");
  shim_.run();
  EXPECT_EQ(shim_.log().out, "1777\n1048576\n");
}

TEST_F(ShimFiles, MaskHidesAFolderButNotTheVolumesFromIt) {
  std::string data = folder_with("data", "secret");
  shim_.folder("data/pods");
  std::string volume = folder_with("data/pods/volume", "a");
  shim_.add("mask", data).add("mask", data + "/pods").overlay();
  shim_.add("bind", "rw:" + volume + ":/vol").add("bind", "rw:" + volume + ":" + volume);
  shim_.add("cwd", volume);
  shim_.script("pwd; ls -A " + data + "; cat /vol/a a; touch " + data + "/x; echo b > b").run();
  EXPECT_EQ(shim_.log().out, volume + "\npods\nfrom the host\nfrom the host\n")
      << shim_.log().err << shim_.exit("message");
  EXPECT_NE(shim_.log().err.find("Read-only file system"), std::string::npos);
  EXPECT_EQ(read_text(volume + "/b"), "b\n");
}

TEST_F(ShimFiles, MaskWorksWithoutAPrivateRoot) {
  std::string data = folder_with("data", "secret");
  std::string volume = folder_with("data/volume", "a");
  shim_.add("mask", data).add("bind", "ro:" + volume + ":" + data + "/made/here");
  shim_.script("ls -A " + data + " " + data + "/made/here").run();
  EXPECT_EQ(shim_.log().out, data + ":\nmade\n\n" + data + "/made/here:\na\n")
      << shim_.exit("message");
  EXPECT_FALSE(exists(data + "/made"));
}

TEST_F(ShimFiles, MaskCoversAMountOfTheHost) {
  std::string data = shim_.folder("data");
  ASSERT_EQ(::mount("tmpfs", data.c_str(), "tmpfs", 0, "size=64k"), 0);
  write_text(data + "/secret", "x");
  shim_.overlay().add("mask", data).script("ls -A " + data).run();
  EXPECT_EQ(shim_.log().out, "");
  EXPECT_EQ(shim_.exit("code"), "0");
  EXPECT_EQ(::umount2(data.c_str(), 0), 0);
}

TEST_F(ShimFiles, MakesMountPointsInTheHostsOtherMountsWithoutTouchingThem) {
  // /dev/termination-log and /run/secrets/… are what every pod has.
  std::string volume = folder_with("volume", "a");
  std::string in_dev = missing_path("/dev/");
  shim_.overlay().add("bind", "ro:" + volume + "/a:" + in_dev);
  shim_.script("cat " + in_dev +
               "; head -c 2 /dev/zero | wc -c; readlink /dev/stdout; ls /dev/shm");
  shim_.run();
  EXPECT_EQ(shim_.log().out.substr(0, 16), "from the host\n2\n") << shim_.exit("message");
  EXPECT_EQ(shim_.exit("code"), "0") << shim_.log().err;
  EXPECT_FALSE(exists(in_dev));
}

TEST_F(ShimFiles, MakesMountPointsInReadOnlyVolumes) {
  std::string outer = folder_with("outer", "a");
  std::string inner = folder_with("inner", "b");
  shim_.overlay().add("bind", "ro:" + outer + ":/v").add("bind", "rw:" + inner + ":/v/in");
  shim_.script("ls /v /v/in; touch /v/in/c; touch /v/c || echo refused").run();
  EXPECT_EQ(shim_.log().out, "/v:\na\nin\n\n/v/in:\nb\nrefused\n") << shim_.exit("message");
  EXPECT_TRUE(exists(inner + "/c"));
  EXPECT_FALSE(exists(outer + "/in"));
}

TEST_F(ShimFiles, RefusesToMakeMountPointsOnTheHost) {
  std::string volume = folder_with("volume", "a");
  shim_.add("bind", "ro:" + volume + ":" + missing_path()).script("true").run();
  EXPECT_EQ(shim_.exit("reason"), "StartError");
  EXPECT_EQ(shim_.exit("code"), "128");
  EXPECT_NE(shim_.exit("message").find("mount point " + missing_path() + " does not exist"),
            std::string::npos);
  EXPECT_FALSE(exists(missing_path()));
}

TEST_F(ShimFiles, MirrorsTheRootWhenTheOverlayIsRefused) {
  std::string volume = folder_with("volume", "a");
  std::string deep = missing_path("/opt/") + "/x";
  shim_.add("root", "overlay:/no/upper:/no/work:" + shim_.folder("merged"));
  shim_.add("bind", "ro:" + volume + ":" + missing_path()).add("bind", "ro:" + volume + ":" + deep);
  shim_.script("ls " + missing_path() + " && ls " + deep + " && touch " + missing_path("/") + "2");
  shim_.run();
  EXPECT_EQ(shim_.log().out, "a\na\n") << shim_.exit("message");
  EXPECT_NE(shim_.log().err.find("Read-only file system"), std::string::npos);
  EXPECT_EQ(shim_.file("notes"), "overlay: No such file or directory\n");
  EXPECT_FALSE(exists(missing_path()));
  EXPECT_FALSE(exists(missing_path("/opt/")));
}

TEST_F(ShimFiles, SaysThatAVolumeSourceIsMissing) {
  shim_.overlay().add("bind", "rw:/no/volume:/vol").script("true").run();
  EXPECT_EQ(shim_.exit("reason"), "StartError");
  EXPECT_EQ(shim_.exit("message"), "volume source /no/volume does not exist");
}

TEST_F(ShimFiles, SaysThatAFolderCannotCoverAFile) {
  std::string volume = folder_with("volume", "a");
  shim_.overlay().add("bind", "rw:" + volume + ":/etc/passwd").script("true").run();
  EXPECT_EQ(shim_.exit("message"), "volume " + volume +
                                       " is a folder, but mountPath /etc/passwd is not: use "
                                       "another mountPath");
}

TEST_F(ShimFiles, FindsTheCommandInsideTheContainer) {
  std::string bin = shim_.folder("bin");
  write_text(bin + "/tool", "#!/bin/sh\necho found $0\n");
  ::chmod((bin + "/tool").c_str(), 0755);
  shim_.overlay().add("bind", "ro:" + bin + ":/tools").add("env", "PATH=/no:/tools");
  shim_.add("arg", "tool").run();
  EXPECT_EQ(shim_.log().out, "found /tools/tool\n");
}

TEST_F(ShimFiles, CannotBeOpenedFromInside) {
  // Root in the container must not reach DIR through the shim's descriptors, or undo a mask.
  std::string data = folder_with("data", "secret");
  shim_.overlay().add("mask", data);
  shim_.script("cat /proc/1/fd/*/spec; ls /proc/1/root/ /proc/1/cwd/; umount " + data +
               "; kill -9 1; ls -A " + data + "; echo alive");
  shim_.run();
  EXPECT_EQ(shim_.log().out, "alive\n");
  EXPECT_NE(shim_.log().err.find("Permission denied"), std::string::npos);
}

TEST_F(ShimFiles, CannotWriteToTheKernelsSettings) {
  shim_.overlay();
  shim_.script(
      "grep -E '^[^ ]+ (/sys|/proc/sys)[^ ]* ' /proc/mounts | grep -v ' [^ ]* ro,' | grep -v "
      "'^proc /proc ';"
      "cat /proc/kcore | head -c 1 | wc -c; ls /sys/kernel/debug /sys/firmware | grep -v :; "
      "ls -d /sys/class/net /sys/devices/system/cpu");
  shim_.run();
  EXPECT_EQ(shim_.log().out, "0\n\n/sys/class/net\n/sys/devices/system/cpu\n") << shim_.log().err;
  EXPECT_EQ(shim_.file("notes"), "");
}

TEST_F(ShimFiles, OpensNoDeviceFilesOfAnImageOrAVolume) {
  std::string tree = shim_.folder("tree");
  make_tree(tree);
  std::string volume = shim_.folder("volume");
  for (const std::string& folder : {tree, volume}) {
    ASSERT_EQ(::mknod((folder + "/disk").c_str(), S_IFCHR | 0666, makedev(1, 5)), 0);  // zero
    ASSERT_EQ(::chmod((folder + "/disk").c_str(), 0666), 0);
  }
  shim_.overlay().add("lower", tree).add("devices", "own");
  shim_.add("bind", "ro:/usr:/usr").add("bind", "rw:" + volume + ":/volume");
  shim_.add("bind", "rw:/dev/zero:/dev/nothing");
  shim_.script(
      "for file in /disk /volume/disk /dev/zero /dev/nothing; do "
      "head -c 1 $file 2>/dev/null | wc -c; done; echo > /dev/null && echo fine");
  shim_.run();
  EXPECT_EQ(shim_.log().out, "0\n0\n1\n1\nfine\n") << shim_.log().err << shim_.exit("message");
}

TEST_F(ShimFiles, HidesAFolderWhereverItIsMounted) {
  std::string above = shim_.folder("above");
  ::mkdir((above + "/data").c_str(), 0700);
  ::mkdir((above + "/data/pki").c_str(), 0700);
  write_text(above + "/data/key", "secret\n");
  write_text(above + "/data/pki/key", "secret\n");
  write_text(above + "/other", "fine\n");
  std::string again = shim_.folder("again");
  std::string part = shim_.folder("part");
  ASSERT_EQ(::mount(above.c_str(), again.c_str(), nullptr, MS_BIND, nullptr), 0);
  ASSERT_EQ(::mount((above + "/data/pki").c_str(), part.c_str(), nullptr, MS_BIND, nullptr), 0);
  shim_.overlay().add("mask", above + "/data").add("bind", "rw:" + above + ":/mnt");
  shim_.script("cd " + again +
               "/..; cat above/other again/other /mnt/other; "
               "cat above/data/key again/data/key part/key /mnt/data/key again/data/pki/key; "
               "ls -A above/data again/data part /mnt/data | grep -v :");
  shim_.run();
  EXPECT_EQ(shim_.log().out, "fine\nfine\nfine\n\n\n\n") << shim_.log().err;
  EXPECT_EQ(::umount2(again.c_str(), MNT_DETACH), 0);
  EXPECT_EQ(::umount2(part.c_str(), MNT_DETACH), 0);
}

}  // namespace
}  // namespace trainyard::shim
