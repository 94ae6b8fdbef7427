#include "cli/arena/code/code_tree.h"

#include <gtest/gtest.h>

namespace trainyard::cli::arena {
namespace {

CodeFile file(const std::string& path, const std::string& hash, std::uint64_t bytes) {
  CodeFile made;
  made.path = path;
  made.hash = hash;
  made.bytes = bytes;
  return made;
}

TEST(BytesToSend, CountsWhatIsNotThereOnce) {
  const std::vector<CodeFile> files{file("a.py", "1", 10), file("copy/a.py", "1", 10),
                                    file("b.py", "2", 100), file("c.py", "3", 1000)};
  EXPECT_EQ(bytes_to_send(files, {}), 1110U);
  EXPECT_EQ(bytes_to_send(files, {"2", "other"}), 1010U);
  EXPECT_EQ(bytes_to_send(files, {"1", "2", "3"}), 0U);
  EXPECT_EQ(bytes_to_send({}, {}), 0U);
}

}  // namespace
}  // namespace trainyard::cli::arena
