#include "base/crash_record.h"

#include "base/files/files.h"
#include "base/files/test_folder.h"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

void crash_at(const std::filesystem::path& file, const char* work) {
  crash_record::open(file);
  const WorkingOn here(work);
  crash_record::add();
}

TEST(CrashRecord, SetsAsideWhatTwoCrashesName) {
  const TestFolder folder;
  const std::filesystem::path file = folder.path() / "crashes";
  crash_at(file, "plan jobs default/bad");
  crash_at(file, "plan jobs default/unlucky");
  crash_record::open(file);
  EXPECT_TRUE(crash_record::set_aside().empty());
  crash_at(file, "plan jobs default/bad");
  crash_record::open(file);
  EXPECT_TRUE(crash_record::is_set_aside("plan jobs default/bad"));
  EXPECT_FALSE(crash_record::is_set_aside("plan jobs default/unlucky"));
  EXPECT_FALSE(crash_record::is_set_aside("plan jobs default/other"));
}

TEST(CrashRecord, RemembersOnlyWhatIsWorkedOn) {
  const TestFolder folder;
  const std::filesystem::path file = folder.path() / "crashes";
  crash_record::open(file);
  crash_record::add();
  {
    const WorkingOn outer("outer");
    {
      const WorkingOn inner("inner");
    }
    crash_record::add();
  }
  EXPECT_EQ(read_file(file).value_or(""), "outer\n");
}

TEST(CrashRecord, ReadsWhateverTheFileHolds) {
  const TestFolder folder;
  const std::filesystem::path file = folder.path() / "crashes";
  ASSERT_TRUE(write_file(file, std::string("\n\n\0\xff\n", 5) + std::string(100'000, 'x'), 0600));
  crash_record::open(file);
  EXPECT_TRUE(crash_record::set_aside().empty());
}

}  // namespace
}  // namespace trainyard
