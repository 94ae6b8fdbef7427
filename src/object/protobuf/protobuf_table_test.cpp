#include "object/protobuf/protobuf_table.h"

#include <gtest/gtest.h>

namespace trainyard::protobuf {
namespace {

constexpr std::string_view kYard = R"(# trains
package yard yard.dev/v1

kind Train
  1 cars [Car]
  2 speed int32!
  3 labels {string}
  5 ... rail.Gauge

type Car
)";
constexpr std::string_view kRail = "package rail rail.dev/v1\nvalue Gauge\n  1 width bytes\n";

TEST(ProtobufTable, ReadsMessagesOfSeveralPackages) {
  const Result<Table> table = Table::parse({kYard, kRail});
  ASSERT_TRUE(table);
  EXPECT_EQ(table->size(), 3);
  const Message* train = table->kind("yard.dev/v1", "Train");
  ASSERT_NE(train, nullptr);
  EXPECT_FALSE(train->is_value);
  EXPECT_EQ(train->field(1)->shape, Shape::kList);
  EXPECT_EQ(train->field(1)->message->name, "Car");
  EXPECT_EQ(train->field(2)->type, Type::kInt32);
  EXPECT_TRUE(train->field(2)->keeps_zero);
  EXPECT_EQ(train->field(3)->shape, Shape::kMap);
  EXPECT_EQ(train->field(4), nullptr);
  EXPECT_TRUE(train->field(5)->spread);
  EXPECT_TRUE(train->field(5)->message->is_value);
  EXPECT_FALSE(train->field(5)->message->field(1)->keeps_zero);
}

TEST(ProtobufTable, KnowsKindsByTheirApiVersion) {
  const Result<Table> table = Table::parse({kYard, kRail});
  ASSERT_TRUE(table);
  EXPECT_EQ(table->kind("yard.dev/v2", "Train"), nullptr);
  EXPECT_EQ(table->kind("yard.dev/v1", "Car"), nullptr);
}

TEST(ProtobufTable, RefusesWhatItCannotUnderstand) {
  for (const char* text : {
           "type",
           "sort Car",
           "  1 name string",
           "type Car\ntype Car",
           "type Car\n  1 name",
           "type Car\n  one name string",
           "type Car\n  1 wheels Wheel",
           "type Car\n  1 wheels rail.Wheel",
           "type Car\n  1 ... string",
           "type Car\n  2 a string\n  1 b string",
           "type Car\n  1 a string\n  1 b string",
           "type Car\n  1 a string extra",
       }) {
    EXPECT_TRUE(Table::parse({text}).failed_with(Code::kInternal)) << text;
  }
}

TEST(ProtobufTable, HasTheKindsThatKubectlMakes) {
  const Table& table = Table::embedded();
  EXPECT_NE(table.kind("v1", "Namespace"), nullptr);
  EXPECT_NE(table.kind("apps/v1", "Deployment"), nullptr);
  EXPECT_NE(table.kind("rbac.authorization.k8s.io/v1", "RoleBinding"), nullptr);
}

}  // namespace
}  // namespace trainyard::protobuf
