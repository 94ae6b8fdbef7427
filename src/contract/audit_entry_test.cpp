#include "contract/audit_entry.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace trainyard::contract {
namespace {

AuditEntry make_entry() {
  AuditEntry entry;
  entry.time = *parse_time("2026-11-19T10:00:00.000001Z");
  entry.user = "ann";
  entry.groups = {"people"};
  entry.verb = "create";
  entry.resource = "pods";
  entry.subresource = "exec";
  entry.ns = "vision";
  entry.name = "train-0";
  entry.code = 101;
  entry.source = "127.0.0.1:4711";
  entry.id = "an-id";
  return entry;
}

TEST(AuditEntry, IsReadAsItWasWritten) {
  AuditEntry entry = make_entry();
  entry.as = "bob";
  entry.left_out = 3;
  const std::string line = to_line(entry);
  EXPECT_EQ(line,
            R"({"time":"2026-11-19T10:00:00.000001Z","user":"ann","as":"bob","groups":["people"],)"
            R"("verb":"create","resource":"pods","subresource":"exec","namespace":"vision",)"
            R"("name":"train-0","code":101,"source":"127.0.0.1:4711","id":"an-id","leftOut":3})"
            "\n");
  const auto read = read_audit_line(line);
  ASSERT_TRUE(read);
  EXPECT_EQ(to_line(*read), line);
}

TEST(AuditEntry, IsOneLineWhateverItsTextsHold) {
  AuditEntry entry = make_entry();
  entry.user =
      "ann\",\"user\":\"admin\"}\n{\"time\":\"2026-11-19T10:00:00Z\",\"user\":\"bob\"}\r\xff";
  entry.name = std::string("a\0b\x1b[2K", 7);
  const std::string line = to_line(entry);
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
  EXPECT_EQ(line.find_first_of("\r\x1b"), std::string::npos);
  EXPECT_TRUE(line.ends_with("}\n"));
  const auto read = read_audit_line(line);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->user.starts_with("ann\",\"user\":\"admin\"}\n{"));
  EXPECT_EQ(read->name, entry.name);
}

TEST(AuditEntry, IsOfBoundedLength) {
  AuditEntry entry = make_entry();
  entry.user = entry.path = entry.name = std::string(1 << 20, 'x');
  entry.groups.assign(10'000, std::string(1 << 10, 'g'));
  EXPECT_LT(to_line(entry).size(), 8U << 10);
}

TEST(AuditEntry, WhatIsNoLineIsNone) {
  for (const char* text : {"", "{", "[]", "{}", R"({"time":"yesterday"})", "null"}) {
    EXPECT_FALSE(read_audit_line(text)) << text;
  }
}

TEST(AuditFilter, AllThatIsAskedForMustFit) {
  AuditEntry entry = make_entry();
  entry.as = "bob";
  EXPECT_TRUE(matches({}, entry));
  EXPECT_TRUE(matches({"ann", "vision", "create", entry.time}, entry));
  EXPECT_TRUE(matches({"bob", "", "exec", {}}, entry));
  EXPECT_FALSE(matches({"an", "", "", {}}, entry));
  EXPECT_FALSE(matches({"", "visions", "", {}}, entry));
  EXPECT_FALSE(matches({"", "", "delete", {}}, entry));
  EXPECT_FALSE(matches({"", "", "", entry.time + std::chrono::seconds(1)}, entry));
}

TEST(AuditFile, OlderOnesHaveNumbers) {
  EXPECT_EQ(audit_file("/data"), "/data/audit.log");
  EXPECT_EQ(audit_file("/data", 2), "/data/audit.log.2");
}

}  // namespace
}  // namespace trainyard::contract
