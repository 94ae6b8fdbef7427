#pragma once

#include "base/fake_clock.h"
#include "base/test_loop.h"
#include "server/access/user.h"
#include "store/store.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace trainyard::server {

/// A store in memory that objects are put into as they are, without admission.
class StoreTest : public testing::Test {
 protected:
  StoreTest();
  /// Into the collection of its kind, replacing what is there.
  void put(Json object);
  /// Each document of a YAML text.
  void put_yaml(const std::string& text);
  void remove(const std::string& collection, const Key& key);

  TestLoop loop_;
  FakeClock clock_;
  store::NoJournal journal_;
  std::unique_ptr<store::Store> store_;
};

/// One document; fails the test when it cannot be read.
Json from_yaml(const std::string& text);

/// Somebody who is logged in.
User make_user(const std::string& name, std::vector<std::string> groups = {});

}  // namespace trainyard::server
