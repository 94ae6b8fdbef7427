#include "http/wire/websocket_frames.h"

#include <gtest/gtest.h>

namespace trainyard::http {
namespace {

constexpr std::array<unsigned char, 4> kNoMask{};

/// As a server would send it: a client's frame without its mask.
std::string server_frame(Opcode opcode, const std::string& payload, bool last = true) {
  std::string frame = client_frame(opcode, payload, kNoMask);
  const std::size_t mask = frame.size() - payload.size() - 4;
  frame.erase(mask, 4);
  frame[1] = static_cast<char>(frame[1] & 0x7F);
  if (!last) frame[0] = static_cast<char>(frame[0] & 0x7F);
  return frame;
}

TEST(WebSocketFrames, AreFoundHoweverTheirBytesAreCut) {
  for (const std::size_t size : {0U, 5U, 125U, 126U, 65535U, 65536U}) {
    const std::string payload(size, 'x');
    const std::string bytes =
        server_frame(Opcode::kBinary, payload) + server_frame(Opcode::kText, "next");
    FrameReader reader;
    std::vector<Frame> found;
    const std::size_t step = size > 1000 ? 997 : 1;
    for (std::size_t i = 0; i < bytes.size(); i += step) {
      reader.add(bytes.substr(i, step));
      while (true) {
        auto next = reader.next();
        ASSERT_TRUE(next);
        if (!*next) break;
        found.push_back(**std::move(next));
      }
    }
    ASSERT_EQ(found.size(), 2U) << size;
    EXPECT_EQ(found[0].payload, payload);
    EXPECT_EQ(found[0].opcode, Opcode::kBinary);
    EXPECT_EQ(found[1].payload, "next");
  }
}

TEST(WebSocketFrames, AMessageInPartsSaysWhichIsTheLast) {
  FrameReader reader;
  reader.add(server_frame(Opcode::kText, "a", false) + server_frame(Opcode::kContinuation, "b"));
  EXPECT_FALSE((*reader.next())->last);
  EXPECT_TRUE((*reader.next())->last);
}

TEST(WebSocketFrames, WhatAServerMayNotSendIsRefused) {
  const auto refused = [](std::string bytes) {
    FrameReader reader;
    reader.add(bytes);
    return !reader.next();
  };
  EXPECT_TRUE(refused(client_frame(Opcode::kText, "masked", {1, 2, 3, 4})));
  EXPECT_TRUE(refused(std::string("\xC1\x00", 2))) << "a reserved bit";
  EXPECT_TRUE(refused(std::string("\x83\x00", 2))) << "an unknown kind";
  EXPECT_TRUE(refused(std::string("\x09\x00", 2))) << "a ping in parts";
  EXPECT_TRUE(refused(std::string("\x89\x7E\x01\x00", 4))) << "a long ping";
  EXPECT_TRUE(refused(std::string("\x82\x7F\x00\x00\x00\x00\x7F\xFF\xFF\xFF", 10))) << "2 GiB";
  EXPECT_FALSE(refused(std::string("\x82\x7F\x00\x00", 4))) << "not whole yet";
}

TEST(WebSocketFrames, AClientMasksWhatItSends) {
  const std::string frame = client_frame(Opcode::kBinary, "abc", {1, 2, 3, 4});
  EXPECT_EQ(frame, std::string("\x82\x83\x01\x02\x03\x04", 6) +
                       "`"
                       "`"
                       "`");
}

}  // namespace
}  // namespace trainyard::http
