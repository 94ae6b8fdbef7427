#include "cli/arena/elastic_table.h"

#include <gtest/gtest.h>

namespace trainyard::cli::arena {
namespace {

TEST(ElasticTable, ColumnsAreTwoBlanksWiderThanTheirLongestCell) {
  ElasticTable table;
  table.row({"NAME", "STATUS", "NODE"}).row({"resnet-ddp", "RUNNING", "10.0.3.12"});
  EXPECT_EQ(table.text(),
            "NAME        STATUS   NODE\n"
            "resnet-ddp  RUNNING  10.0.3.12\n");
}

TEST(ElasticTable, AnEmptyCellKeepsItsColumnAndNoLineEndsInBlanks) {
  ElasticTable table;
  table.row({"NAME", "DESCRIPTION", "OWNER", "AGE"}).row({"scratch", "", "", "3h"});
  table.row({"", "", "", ""}).row({"x", "", "", ""});
  EXPECT_EQ(table.text(),
            "NAME     DESCRIPTION  OWNER  AGE\n"
            "scratch                      3h\n"
            "\n"
            "x\n");
}

TEST(ElasticTable, ALineWithoutColumnsEndsTheTable) {
  ElasticTable table;
  table.row({"a-long-cell", "1"}).line("----").row({"b", "2"}).line().row({"ccc", "3"});
  EXPECT_EQ(table.text(), "a-long-cell  1\n----\nb  2\n\nccc  3\n");
}

TEST(ElasticTable, AShorterRowEndsOnlyTheColumnsItHasNot) {
  ElasticTable table;
  table.row({"a", "middle", "x"}).row({"long", "b"}).row({"c", "d", "y"});
  EXPECT_EQ(table.text(), "a     middle  x\nlong  b\nc     d  y\n");
}

TEST(ElasticTable, WidthsAreCodePoints) {
  ElasticTable table;
  table.row({"größe", "1"}).row({"abcde", "2"}).row({"数据", "3"});
  EXPECT_EQ(table.text(), "größe  1\nabcde  2\n数据     3\n");
}

TEST(ElasticTable, IndentsWhatIsNotEmpty) {
  ElasticTable table;
  table.row({"NAME", "X"}).line().row({"a", "1"});
  EXPECT_EQ(table.text("  "), "  NAME  X\n\n  a  1\n");
}

}  // namespace
}  // namespace trainyard::cli::arena
