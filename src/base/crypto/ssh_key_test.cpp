#include "base/crypto/ssh_key.h"

#include "base/crypto/ids.h"
#include "base/files/files.h"
#include "base/files/test_folder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

namespace trainyard {
namespace {

std::string bytes_of(const std::string& private_key) {
  std::string text;
  for (std::size_t begin = 0; begin < private_key.size();) {
    const std::size_t end = private_key.find('\n', begin);
    const std::string line = private_key.substr(begin, end - begin);
    if (!line.starts_with("-----")) text += line;
    begin = end + 1;
  }
  return base64_decode(text).value_or("");
}

TEST(SshKey, WritesTheOpensshFormatWithBothHalvesAndItsPadding) {
  Ed25519Bytes secret{};
  secret.fill('s');
  Ed25519Bytes open{};
  open.fill('o');
  const SshKeyPair pair = write_ssh_key_pair(secret, open, "job", 7);
  EXPECT_TRUE(pair.private_key.starts_with("-----BEGIN OPENSSH PRIVATE KEY-----\n"));
  EXPECT_TRUE(pair.private_key.ends_with("\n-----END OPENSSH PRIVATE KEY-----\n"));
  const std::string bytes = bytes_of(pair.private_key);
  EXPECT_TRUE(bytes.starts_with(std::string("openssh-key-v1\0", 15)));
  EXPECT_NE(bytes.find(std::string(32, 's') + std::string(32, 'o')), std::string::npos);
  EXPECT_TRUE(bytes.ends_with(std::string("\0\0\0\3job", 7) + "\1\2")) << bytes;
  EXPECT_TRUE(pair.public_key.starts_with("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5"));
  EXPECT_TRUE(pair.public_key.ends_with(" job"));
}

TEST(SshKey, EachPairIsNew) {
  EXPECT_NE(make_ssh_key_pair("").private_key, make_ssh_key_pair("").private_key);
}

TEST(SshKey, OpensshReadsAPair) {
  if (std::system("command -v ssh-keygen >/dev/null") != 0) GTEST_SKIP() << "no ssh-keygen";
  const TestFolder folder;
  const SshKeyPair pair = make_ssh_key_pair("someone");
  ASSERT_TRUE(write_file(folder.path() / "key", pair.private_key, 0600));
  const std::string command = fmt::format("ssh-keygen -y -f {}", (folder.path() / "key").string());
  FILE* pipe = ::popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  char line[512] = {};
  const bool read = std::fgets(line, sizeof(line), pipe) != nullptr;
  EXPECT_EQ(::pclose(pipe), 0);
  EXPECT_TRUE(read);
  EXPECT_EQ(std::string(line), pair.public_key + "\n");
}

}  // namespace
}  // namespace trainyard
