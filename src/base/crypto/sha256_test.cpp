#include "base/crypto/sha256.h"

#include "base/crypto/ids.h"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

TEST(Sha256, IsTheSameInPiecesAndWhole) {
  Sha256 pieces;
  for (const char* piece : {"a", "", "bc"}) pieces.add(piece);
  EXPECT_EQ(pieces.hex(), sha256_hex("abc"));
  EXPECT_EQ(Sha256().hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

}  // namespace
}  // namespace trainyard
