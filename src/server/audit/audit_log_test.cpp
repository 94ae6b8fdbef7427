#include "server/audit/audit_log.h"

#include "base/fake_clock.h"
#include "base/files/files.h"
#include "base/files/test_folder.h"
#include "base/test_loop.h"
#include "server/audit/audited.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>
#include <sys/stat.h>

namespace trainyard::server {
namespace {

std::vector<contract::AuditEntry> read_entries(const std::filesystem::path& file) {
  std::istringstream lines(read_file(file).value_or(""));
  std::vector<contract::AuditEntry> entries;
  for (std::string line; std::getline(lines, line);) {
    if (auto entry = contract::read_audit_line(line)) entries.push_back(*std::move(entry));
  }
  return entries;
}

contract::AuditEntry entry_of(const std::string& user, const std::string& name) {
  contract::AuditEntry entry;
  entry.user = user;
  entry.name = name;
  return entry;
}

class AuditLogTest : public testing::Test {
 protected:
  TestFolder folder_;
  TestLoop loop_;
  FakeClock clock_{loop_.executor()};
};

TEST_F(AuditLogTest, KeepsWhatWasHandedOverInOrder) {
  {
    AuditLog log(folder_.path(), {}, clock_);
    for (int i = 0; i < 100; ++i) log.add(entry_of("ann", fmt::to_string(i)));
  }
  const auto entries = read_entries(folder_.path() / "audit.log");
  ASSERT_EQ(entries.size(), 100U);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(entries[static_cast<std::size_t>(i)].name, fmt::to_string(i));
  EXPECT_EQ(entries[0].time, clock_.wall());
  struct stat facts{};
  ASSERT_EQ(::stat((folder_.path() / "audit.log").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
}

TEST_F(AuditLogTest, StrangersPushNobodyOut) {
  constexpr int kMany = 5000;
  {
    AuditLog log(folder_.path(), {}, clock_);
    for (int i = 0; i < kMany; ++i) log.add(entry_of("", "guess"));
    log.add(entry_of("ann", "job"));
    EXPECT_EQ(log.lost(), kMany - static_cast<std::uint64_t>(AuditLog::kStrangersAtOnce));
  }
  const auto entries = read_entries(folder_.path() / "audit.log");
  EXPECT_EQ(entries.size(), static_cast<std::size_t>(AuditLog::kStrangersAtOnce) + 1);
  EXPECT_EQ(entries.back().user, "ann");
  std::uint64_t left_out = 0;
  for (const auto& entry : entries) left_out += entry.left_out;
  EXPECT_EQ(left_out, kMany - static_cast<std::uint64_t>(AuditLog::kStrangersAtOnce));
}

TEST_F(AuditLogTest, LinesThatCannotBeWrittenAreCountedAndToldOf) {
  const std::filesystem::path missing = folder_.path() / "not-there";
  AuditFile file(missing, {});
  EXPECT_FALSE(file.append("{}\n"));
  AuditLog log(missing, {}, clock_);
  log.add(entry_of("ann", "a"));
  log.add(entry_of("ann", "b"));
  while (log.lost() < 2) {
  }
  ASSERT_TRUE(make_folders(missing, 0700));
  log.add(entry_of("ann", "c"));
  std::vector<contract::AuditEntry> entries;
  while (entries.empty()) entries = read_entries(missing / "audit.log");
  EXPECT_EQ(entries[0].name, "c");
  EXPECT_EQ(entries[0].left_out, 2U);
}

TEST_F(AuditLogTest, FullFilesBecomeOlderAndTheOldestGoes) {
  AuditFile file(folder_.path(), {100, 2});
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(file.append(fmt::format("line {:04}: 0123456789\n", i)));
  std::string all;
  for (const char* name : {"audit.log.2", "audit.log.1", "audit.log"}) {
    const auto text = read_file(folder_.path() / name);
    ASSERT_TRUE(text) << name;
    EXPECT_LE(text->size(), 100U);
    all += *text;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "audit.log.3"));
  EXPECT_TRUE(all.ends_with("line 0049: 0123456789\n"));
  int next = std::stoi(all.substr(5, 4));
  std::istringstream lines(all);
  for (std::string line; std::getline(lines, line); ++next) {
    EXPECT_EQ(line, fmt::format("line {:04}: 0123456789", next));
  }
}

TEST_F(AuditLogTest, GoesOnWhereItWasAndBeginsALineOfItsOwn) {
  ASSERT_TRUE(write_file(folder_.path() / "audit.log", "whole\nbrok", 0600));
  AuditFile file(folder_.path(), {});
  ASSERT_TRUE(file.append("next\n"));
  EXPECT_EQ(*read_file(folder_.path() / "audit.log"), "whole\nbrok\nnext\n");
}

TEST_F(AuditLogTest, WhatWasPutAwayIsBegunAnew) {
  AuditFile file(folder_.path(), {});
  ASSERT_TRUE(file.append("a\n"));
  std::filesystem::rename(folder_.path() / "audit.log", folder_.path() / "mine");
  ASSERT_TRUE(file.append("b\n"));
  EXPECT_EQ(*read_file(folder_.path() / "mine"), "a\n");
  EXPECT_EQ(*read_file(folder_.path() / "audit.log"), "b\n");
}

bool audited(const std::string& method, const std::string& target, int status) {
  const std::size_t question = target.find('?');
  const http::Query query(question == std::string::npos ? "" : target.substr(question + 1));
  const std::string path = target.substr(0, question);
  const auto route = parse_route(path);
  const Access access = route ? access_to(method, *route, query) : access_to(method, path);
  return is_audited(access, query, status);
}

TEST(Audited, WhatChangesSomethingOpensASessionOrReadsSecrets) {
  const std::string pods = "/api/v1/namespaces/a/pods";
  EXPECT_TRUE(audited("POST", pods, 201));
  EXPECT_TRUE(audited("POST", pods, 422));
  EXPECT_TRUE(audited("POST", pods, 0));
  EXPECT_TRUE(audited("PUT", pods + "/x/status", 200));
  EXPECT_TRUE(audited("PATCH", pods + "/x", 200));
  EXPECT_TRUE(audited("DELETE", pods + "/x", 200));
  EXPECT_TRUE(audited("DELETE", pods, 200));
  EXPECT_TRUE(audited("POST", "/api/v1/namespaces/a/serviceaccounts/x/token", 201));
  for (const char* session : {"exec", "attach", "portforward"}) {
    EXPECT_TRUE(audited("GET", pods + "/x/" + session, 101)) << session;
  }
  EXPECT_TRUE(audited("GET", "/api/v1/secrets", 200));
  EXPECT_TRUE(audited("GET", "/api/v1/namespaces/a/secrets/x", 200));
  EXPECT_TRUE(audited("GET", "/api/v1/namespaces/a/secrets?watch=1", 200));
  EXPECT_TRUE(audited("POST", "/login-links", 200));
}

TEST(Audited, WhatOnlyLooksIsNotUnlessItWasRefused) {
  const std::string pods = "/api/v1/namespaces/a/pods";
  for (const std::string& path : {pods, pods + "/x", pods + "/x/log", std::string("/metrics")}) {
    EXPECT_FALSE(audited("GET", path, 200)) << path;
    EXPECT_TRUE(audited("GET", path, 401)) << path;
    EXPECT_TRUE(audited("GET", path, 403)) << path;
  }
  EXPECT_FALSE(audited("POST", pods + "?dryRun=All", 201));
  EXPECT_FALSE(audited("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", 201));
}

}  // namespace
}  // namespace trainyard::server
