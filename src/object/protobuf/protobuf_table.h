#pragma once

#include "base/result.h"

#include <cstdint>
#include <deque>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard::protobuf {

enum class Type : std::uint8_t {
  kString,
  kBool,
  kInt32,
  kInt64,
  kDouble,
  kBytes,        // base64 in JSON
  kJson,         // bytes that are JSON text, and stand for its value
  kTime,         // a moment with seconds
  kMicroTime,    // and with microseconds
  kIntOrString,  //
  kMessage,
};

enum class Shape : std::uint8_t {
  kOne,
  kList,
  kMap,  // keys are strings
};

struct Message;

struct Field {
  std::uint32_t number = 0;
  std::string_view name;  // as in JSON
  Type type = Type::kString;
  Shape shape = Shape::kOne;
  bool keeps_zero = false;           // "", 0 and false are written, not left out
  bool spread = false;               // has no name: its fields are those of the message around it
  const Message* message = nullptr;  // of kMessage
};

struct Message {
  std::string_view name;
  bool is_value = false;      // in JSON it is not an object, but the value of its last field
  std::vector<Field> fields;  // by number

  const Field* field(std::uint64_t number) const;
};

/// The messages that api/protobuf describes, one file an API group:
///
///   package apps apps/v1              the word others call it by, and its apiVersion
///
///   kind Deployment                   may be the body of a request
///     1 metadata meta.ObjectMeta      a message of another package
///     2 spec DeploymentSpec           one of the same
///
///   type DeploymentSpec
///     1 replicas int32!               kept when zero (else it is left out, as Go's omitempty does)
///     2 names [string]                a list
///     3 labels {string}               a map
///     4 ... LocalObjectReference      its fields are fields of this
///
///   value Quantity                    written as the value of its last field that is there
///     1 string string!
///
/// Lines that begin with # and empty ones mean nothing.
class Table {
 public:
  Table() = default;
  Table(Table&&) noexcept = default;
  Table& operator=(Table&&) noexcept = default;
  /// The texts must outlive the table, which points into them.
  static Result<Table> parse(const std::vector<std::string_view>& texts);
  /// The one inside this program, read when first asked for.
  static const Table& embedded();

  /// What a request may carry; nullptr when unknown.
  const Message* kind(std::string_view api_version, std::string_view kind) const;
  std::size_t size() const { return messages_.size(); }

 private:
  friend class TableReader;

  std::deque<Message> messages_;  // fields point at them: they stay where they are
  std::map<std::pair<std::string_view, std::string_view>, const Message*> kinds_;
};

}  // namespace trainyard::protobuf
