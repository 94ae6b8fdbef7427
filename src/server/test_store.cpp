#include "server/test_store.h"

#include "object/yaml/yaml.h"

#include <algorithm>
#include <cctype>

namespace trainyard::server {
namespace {

std::string collection_of_kind(const Json& object) {
  std::string name(string_at(object, "kind"));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::string_view version = string_at(object, "apiVersion", "v1");
  const std::size_t slash = version.find('/');
  if (slash == std::string_view::npos) return name + "s";
  return std::string(version.substr(0, slash)) + "/" + name + "s";
}

}  // namespace

StoreTest::StoreTest() : clock_(loop_.executor()) {
  auto opened = store::Store::open(loop_.executor(), clock_, journal_);
  EXPECT_TRUE(opened);
  store_ = *std::move(opened);
}

void StoreTest::put(Json object) {
  store::Store::Write write;
  write.collection = collection_of_kind(object);
  write.key = key_of(object);
  write.edit = [object = std::move(object)](const ObjectPtr&) -> Result<store::Store::Decision> {
    return store::Store::Decision(object);
  };
  EXPECT_TRUE(loop_.run(store_->write(std::move(write))));
}

void StoreTest::put_yaml(const std::string& text) {
  auto objects = parse_yaml(text);
  ASSERT_TRUE(objects) << objects.error().message();
  for (Json& object : *objects) put(std::move(object));
}

void StoreTest::remove(const std::string& collection, const Key& key) {
  store::Store::Write write;
  write.collection = collection;
  write.key = key;
  write.edit = [](const ObjectPtr&) -> Result<store::Store::Decision> {
    return store::Store::Decision();
  };
  EXPECT_TRUE(loop_.run(store_->write(std::move(write))));
}

Json from_yaml(const std::string& text) {
  auto parsed = parse_yaml(text);
  EXPECT_TRUE(parsed && parsed->size() == 1) << text;
  return parsed && parsed->size() == 1 ? parsed->front() : Json();
}

User make_user(const std::string& name, std::vector<std::string> groups) {
  User user;
  user.name = name;
  user.groups = std::move(groups);
  user.groups.emplace_back(kAuthenticated);
  return user;
}

}  // namespace trainyard::server
