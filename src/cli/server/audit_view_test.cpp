#include "cli/server/audit_view.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace trainyard::cli {
namespace {

contract::AuditEntry make_entry() {
  contract::AuditEntry entry;
  entry.time = *parse_time("2026-11-19T10:00:00Z");
  entry.user = "ann";
  entry.verb = "delete";
  entry.resource = "jobs.batch";
  entry.ns = "vision";
  entry.name = "train";
  entry.code = 200;
  return entry;
}

TEST(AuditView, SaysWhoDidWhatToWhat) {
  EXPECT_EQ(audit_heading(),
            "TIME                   WHO                WHAT               ON                      "
            "                       RESULT\n");
  EXPECT_EQ(audit_row(make_entry()),
            "2026-11-19T10:00:00Z   ann                delete             jobs.batch -n vision "
            "train                     ok\n");
}

TEST(AuditView, NamesSessionsRefusalsAndWhomOneActsAs) {
  contract::AuditEntry entry = make_entry();
  entry.as = "bob";
  entry.verb = "get";
  entry.resource = "pods";
  entry.subresource = "exec";
  entry.code = 403;
  entry.left_out = 2;
  const std::string rows = audit_row(entry);
  EXPECT_TRUE(rows.starts_with("(2 before this were not written down)\n"));
  for (const char* words :
       {"ann as bob", " exec ", "pods/exec -n vision train", "refused (403)\n"}) {
    EXPECT_NE(rows.find(words), std::string::npos) << words << rows;
  }
  entry.user.clear();
  entry.code = 0;
  EXPECT_NE(audit_row(entry).find("(nobody known) as bob"), std::string::npos);
  EXPECT_TRUE(audit_row(entry).ends_with("no answer\n"));
}

TEST(AuditView, OddNamesAreNeitherColumnsNorLines) {
  contract::AuditEntry entry = make_entry();
  entry.user = "ann   create\n2026 \x1b[2K\u202e";
  const std::string row = audit_row(entry);
  EXPECT_EQ(std::count(row.begin(), row.end(), '\n'), 1);
  EXPECT_NE(row.find(R"("ann   create\x0a2026 \x1b[2K\xe2\x80\xae")"), std::string::npos) << row;
}

}  // namespace
}  // namespace trainyard::cli
