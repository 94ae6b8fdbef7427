#include "server/kinds/open_api_protobuf.h"

#include <bit>
#include <cstdint>
#include <string_view>
#include <utility>

namespace trainyard::server {
namespace {

/// Collects the fields of one message. The numbers are those of openapiv2/OpenAPIv2.proto.
class Message {
 public:
  void text(unsigned number, std::string_view value) {
    tag(number, 2);
    varint(value.size());
    bytes_.append(value);
  }
  void message(unsigned number, const Message& value) { text(number, value.bytes_); }
  void flag(unsigned number, bool value) {
    tag(number, 0);
    varint(value ? 1 : 0);
  }
  void integer(unsigned number, std::int64_t value) {
    tag(number, 0);
    varint(static_cast<std::uint64_t>(value));
  }
  void real(unsigned number, double value) {
    tag(number, 1);
    auto bits = std::bit_cast<std::uint64_t>(value);
    for (int i = 0; i < 8; ++i, bits >>= 8U) bytes_.push_back(static_cast<char>(bits & 0xffU));
  }
  std::string take() { return std::move(bytes_); }

 private:
  void tag(unsigned number, unsigned wire) { varint(number << 3U | wire); }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U)
      bytes_.push_back(static_cast<char>((value & 0x7fU) | 0x80U));
    bytes_.push_back(static_cast<char>(value));
  }

  std::string bytes_;
};

std::string_view view(const Json& text) {
  return {text.get_string().data(), text.get_string().size()};
}

template <class Member>
std::string_view name_of_member(const Member& member) {
  return {member.key().data(), member.key().size()};
}

/// A value of any type goes as YAML, which JSON is.
Message any(const Json& value) {
  Message message;
  message.text(2, to_text(value));
  return message;
}

Message named(std::string_view name, const Message& value) {
  Message message;
  message.text(1, name);
  message.message(2, value);
  return message;
}

/// The members whose names begin with x-.
void add_extensions(Message& message, unsigned number, const Json& from) {
  for (const auto& member : from.get_object()) {
    const std::string_view name = name_of_member(member);
    if (name.starts_with("x-")) message.message(number, named(name, any(member.value())));
  }
}

void add_text(Message& message, unsigned number, const Json& from, const char* name) {
  if (const std::string_view value = string_at(from, name); !value.empty()) {
    message.text(number, value);
  }
}

struct Numbered {
  const char* name;
  unsigned number;
};

void add_plain_rules(Message& message, const Json& schema) {
  for (const auto& [name, number] : {Numbered{"multipleOf", 6}, {"maximum", 7}, {"minimum", 9}}) {
    const Json* value = find(schema, name);
    if (value != nullptr && value->is_number()) message.real(number, value->to_number<double>());
  }
  for (const auto& [name, number] : {Numbered{"maxLength", 11},
                                     {"minLength", 12},
                                     {"maxItems", 14},
                                     {"minItems", 15},
                                     {"maxProperties", 17},
                                     {"minProperties", 18}}) {
    const Json* value = find(schema, name);
    if (value != nullptr && value->is_int64()) message.integer(number, value->get_int64());
  }
  for (const auto& [name, number] :
       {Numbered{"exclusiveMaximum", 8}, {"exclusiveMinimum", 10}, {"uniqueItems", 16}}) {
    if (bool_at(schema, name)) message.flag(number, true);
  }
}

Message encode_schema(const Json& schema);

void add_children(Message& message, const Json& schema) {
  if (const Json* additional = find(schema, "additionalProperties")) {
    Message item;
    if (additional->is_object()) item.message(1, encode_schema(*additional));
    if (additional->is_bool()) item.flag(2, additional->get_bool());
    message.message(21, item);
  }
  if (const Json* items = find(schema, "items"); items != nullptr && items->is_object()) {
    Message item;
    item.message(1, encode_schema(*items));
    message.message(23, item);
  }
  for (const Json& part : array_at(schema, "allOf")) message.message(24, encode_schema(part));
  const JsonObject& properties = object_at(schema, "properties");
  if (properties.empty()) return;
  Message all;
  for (const auto& property : properties) {
    all.message(1, named(name_of_member(property), encode_schema(property.value())));
  }
  message.message(25, all);
}

Message encode_schema(const Json& schema) {
  Message message;
  if (!schema.is_object()) return message;
  for (const auto& [name, number] :
       {Numbered{"$ref", 1}, {"format", 2}, {"title", 3}, {"description", 4}, {"pattern", 13}}) {
    add_text(message, number, schema, name);
  }
  if (const Json* value = find(schema, "default")) message.message(5, any(*value));
  add_plain_rules(message, schema);
  for (const Json& name : array_at(schema, "required")) {
    if (name.is_string()) message.text(19, view(name));
  }
  for (const Json& value : array_at(schema, "enum")) message.message(20, any(value));
  if (const std::string_view type = string_at(schema, "type"); !type.empty()) {
    Message item;
    item.text(1, type);
    message.message(22, item);
  }
  add_children(message, schema);
  add_extensions(message, 31, schema);
  return message;
}

/// Ours are all in the query.
Message encode_parameter(const Json& parameter) {
  Message query;
  add_text(query, 2, parameter, "in");
  add_text(query, 4, parameter, "name");
  add_text(query, 6, parameter, "type");
  Message not_in_body;
  not_in_body.message(3, query);
  Message one;
  one.message(2, not_in_body);
  Message item;
  item.message(1, one);
  return item;
}

Message encode_responses(const JsonObject& responses) {
  Message message;
  for (const auto& response : responses) {
    Message described;
    add_text(described, 1, response.value(), "description");
    Message value;
    value.message(1, described);
    message.message(1, named(name_of_member(response), value));
  }
  return message;
}

Message encode_operation(const Json& operation) {
  Message message;
  add_text(message, 5, operation, "operationId");
  for (const Json& parameter : array_at(operation, "parameters")) {
    message.message(8, encode_parameter(parameter));
  }
  message.message(9, encode_responses(object_at(operation, "responses")));
  add_extensions(message, 13, operation);
  return message;
}

Message encode_path(const Json& path) {
  Message message;
  for (const auto& [name, number] :
       {Numbered{"get", 2}, {"put", 3}, {"post", 4}, {"delete", 5}, {"patch", 8}}) {
    if (const Json* operation = find(path, name)) {
      message.message(number, encode_operation(*operation));
    }
  }
  return message;
}

}  // namespace

std::string encode_open_api_v2(const Json& document) {
  Message message;
  add_text(message, 1, document, "swagger");
  Message info;
  add_text(info, 1, document, "info.title");
  add_text(info, 2, document, "info.version");
  message.message(2, info);
  Message paths;
  for (const auto& path : object_at(document, "paths")) {
    paths.message(2, named(name_of_member(path), encode_path(path.value())));
  }
  message.message(8, paths);
  Message definitions;
  for (const auto& schema : object_at(document, "definitions")) {
    definitions.message(1, named(name_of_member(schema), encode_schema(schema.value())));
  }
  message.message(9, definitions);
  return message.take();
}

}  // namespace trainyard::server
