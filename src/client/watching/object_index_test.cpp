#include "client/watching/object_index.h"

#include <gtest/gtest.h>

namespace trainyard::client {
namespace {

ObjectPtr object(const std::string& name, const std::string& owner) {
  Json body{{"metadata", {{"namespace", "ns"}, {"name", name}}}};
  if (!owner.empty()) {
    make_path(body, "metadata.ownerReferences") = JsonArray{{{"uid", owner}}};
  }
  return std::make_shared<const StoredObject>(std::move(body), 1);
}

TEST(ObjectIndex, FindsObjectsByOwnerAsTheyComeChangeAndGo) {
  ObjectIndex index;
  index.add_index(kByOwner, owner_uids);
  index.put(object("b", "u1"));
  index.put(object("a", "u1"));
  index.put(object("c", "u2"));
  index.put(object("d", ""));
  const auto owned = index.by_index("owner", "u1");
  ASSERT_EQ(owned.size(), 2U);
  EXPECT_EQ(name_of(owned[0]->body()), "a");
  index.put(object("a", "u2"));
  EXPECT_EQ(index.by_index("owner", "u1").size(), 1U);
  EXPECT_EQ(index.by_index("owner", "u2").size(), 2U);
  index.erase(Key{"ns", "b"});
  EXPECT_TRUE(index.by_index("owner", "u1").empty());
  EXPECT_EQ(index.all().size(), 3U);
}

TEST(ObjectIndex, FindsNothingInAnIndexThatIsNotThere) {
  ObjectIndex index;
  index.put(object("a", "u1"));
  EXPECT_TRUE(index.by_index("owner", "u1").empty());
}

}  // namespace
}  // namespace trainyard::client
