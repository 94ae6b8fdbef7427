#pragma once

#include "server/test_server.h"

#include <string>
#include <string_view>
#include <vector>

namespace trainyard::server {

/// For tests: the example objects of tests/e2e/data.
std::vector<std::string> example_names();
Json example(std::string_view name);
/// The kind of an object by its apiVersion and kind.
const Kind& kind_of_object(const Json& object);

/// The place "spec.replicaSpecs[0].type" or "spec.pytorchReplicaSpecs[Master].replicas"; what is
/// missing on the way is made.
Json& place(Json& object, std::string_view path);
/// The object with something put in that place, given in YAML; "" takes the field away.
Json changed(Json object, std::string_view path, std::string_view yaml);

/// Admits as `kubectl create` has it done: unknown fields are faults.
Result<Json> admit_strictly(Json object);
/// Admits `after` as an update of `before`, which is admitted first.
Result<Json> admit_change(Json before, std::string_view path, std::string_view yaml);
/// "field: message" of every fault, or "accepted".
std::string faults_of(const Result<Json>& result);

/// An example with one thing changed, and the one fault that this makes.
struct Fault {
  std::string example;
  std::string path;
  std::string yaml;
  std::string fault;
};
void expect_faults(const std::vector<Fault>& faults);

struct Change {
  std::string example;
  std::string path;
  std::string yaml;
};
/// The changed examples can be created.
void expect_accepted(const std::vector<Change>& changes);
/// The examples, once they are there, can or cannot be changed in this way.
void expect_change_accepted(const std::vector<Change>& changes);
void expect_change_refused(const std::vector<Change>& changes, const std::string& message);

}  // namespace trainyard::server
