#include "node/linux/posix_acl.h"

#include "base/files/test_folder.h"
#include "base/files/unique_fd.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace trainyard::node {
namespace {

TEST(PosixAcl, IsWrittenAsTheKernelReadsIt) {
  const std::string one = encode_acl({{AclEntry::Tag::kGroup, 6, 0x70010203}});
  EXPECT_EQ(one, std::string("\x02\0\0\0\x08\0\x06\0\x03\x02\x01\x70", 12));
  EXPECT_EQ(shared_acl(5).size(), 4U + 5 * 8);
}

TEST(PosixAcl, LetsTheGroupWriteWhatIsMadeWithAnyUmask) {
  const TestFolder folder;
  const UniqueFd opened(::open(folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto set = set_acl(opened.get(), shared_acl(0x70000001));
  if (set.failed_with(Code::kUnsupported)) GTEST_SKIP() << set.error().message();
  ASSERT_TRUE(set) << set.error().message();
  const mode_t before = ::umask(022);
  const UniqueFd file(::openat(opened.get(), "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  ASSERT_EQ(::mkdirat(opened.get(), "deep", 0777), 0);
  ::umask(before);
  struct stat status{};
  ASSERT_EQ(::fstat(file.get(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0664U) << "of which the middle is the mask of the list";
  ASSERT_EQ(::fstatat(opened.get(), "deep", &status, 0), 0);
  EXPECT_EQ(status.st_mode & 0777, 0775U);
}

}  // namespace
}  // namespace trainyard::node
