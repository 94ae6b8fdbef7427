#include "object/protobuf/protobuf.h"

#include "base/crypto/ids.h"
#include "object/json/utf8.h"
#include "object/protobuf/protobuf_table.h"
#include "object/protobuf/protobuf_wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>

namespace trainyard {
namespace {

using protobuf::Field;
using protobuf::Item;
using protobuf::malformed;
using protobuf::Message;
using protobuf::Shape;
using protobuf::Type;
using protobuf::Wire;
using protobuf::WireReader;

constexpr std::string_view kMagic("k8s\0", 4);

Wire wire_of(Type type) {
  switch (type) {
    case Type::kBool:
    case Type::kInt32:
    case Type::kInt64:
      return Wire::kVarint;
    case Type::kDouble:
      return Wire::kFixed64;
    default:
      return Wire::kBytes;
  }
}

bool is_zero(const Json& value) {
  if (value.is_string()) return value.get_string().empty();
  if (value.is_bool()) return !value.get_bool();
  if (value.is_int64()) return value.get_int64() == 0;
  return false;
}

std::size_t depth_of(const Json& value) {
  std::size_t inner = 0;
  if (value.is_array()) {
    for (const Json& element : value.get_array()) inner = std::max(inner, depth_of(element));
  } else if (value.is_object()) {
    for (const auto& member : value.get_object()) inner = std::max(inner, depth_of(member.value()));
  } else {
    return 0;
  }
  return inner + 1;
}

/// What is stored is read again as JSON, so it must not be deeper than that may be.
Result<> check_depth(std::size_t depth) {
  if (depth <= kMaxDepth) return Ok();
  return malformed(fmt::format("it is nested more than {} levels deep", kMaxDepth));
}

Result<Json> read_text(std::string_view bytes) {
  if (!is_utf8(bytes)) return malformed("a text is not UTF-8");
  return Json(bytes);
}

/// By way of its text, so that whole numbers become integers as they do in a body of JSON.
Result<Json> read_double(double value) {
  if (!std::isfinite(value)) return malformed("a number is not finite");
  return parse_json(to_text(Json(value)));
}

Result<Json> read_json(std::string_view bytes, std::size_t depth) {
  if (bytes.empty()) return Json(nullptr);
  TRY(Json value, parse_json(bytes));
  TRY_OK(check_depth(depth + depth_of(value)));
  return value;
}

/// {1: seconds since 1970, 2: nanoseconds}, as RFC 3339; nothing at all is no time.
Result<Json> read_time(std::string_view bytes, bool with_micros) {
  using namespace std::chrono;
  if (bytes.empty()) return Json(nullptr);
  std::int64_t whole = 0;
  std::int64_t nanos = 0;
  WireReader reader(bytes);
  while (!reader.done()) {
    TRY(const Item item, reader.next());
    if (item.number == 1) whole = static_cast<std::int64_t>(item.value);
    if (item.number == 2) nanos = static_cast<std::int64_t>(item.value);
  }
  constexpr sys_seconds kFirst = sys_days(year(1) / 1 / 1);
  constexpr sys_seconds kEnd = sys_days(year(10'000) / 1 / 1);
  const sys_seconds time{seconds(whole)};
  if (time < kFirst || time >= kEnd || nanos < 0 || nanos >= 1'000'000'000) {
    return malformed("a time is out of range");
  }
  const sys_days day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  std::string text =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", int(date.year()), unsigned(date.month()),
                  unsigned(date.day()), clock.hours().count(), clock.minutes().count(),
                  clock.seconds().count());
  if (with_micros) text += fmt::format(".{:06}", nanos / 1000);
  return Json(text + "Z");
}

/// {1: which of them, 2: the number, 3: the text}
Result<Json> read_int_or_string(std::string_view bytes) {
  Item which;
  Item number;
  Item text;
  WireReader reader(bytes);
  while (!reader.done()) {
    TRY(const Item item, reader.next());
    if (item.number == 1) which = item;
    if (item.number == 2) number = item;
    if (item.number == 3) text = item;
  }
  if (which.value == 0) return Json(static_cast<std::int32_t>(number.value));
  if (which.value == 1) return read_text(text.bytes);
  return malformed("a value is neither a number nor a text");
}

Result<Json> read_message(const Message& message, std::string_view bytes, std::size_t depth);

/// `depth` is the number of containers around the value.
Result<Json> read_value(const Field& field, const Item& item, std::size_t depth) {
  if (item.wire != wire_of(field.type)) {
    return malformed(fmt::format("the field {} has a wrong wire type", field.name));
  }
  switch (field.type) {
    case Type::kString:
      return read_text(item.bytes);
    case Type::kBool:
      return Json(item.value != 0);
    case Type::kInt32:
      return Json(static_cast<std::int32_t>(item.value));
    case Type::kInt64:
      return Json(static_cast<std::int64_t>(item.value));
    case Type::kDouble:
      return read_double(std::bit_cast<double>(item.value));
    case Type::kBytes:
      return Json(base64_encode(item.bytes));
    case Type::kJson:
      return read_json(item.bytes, depth);
    case Type::kTime:
      return read_time(item.bytes, false);
    case Type::kMicroTime:
      return read_time(item.bytes, true);
    case Type::kIntOrString:
      return read_int_or_string(item.bytes);
    case Type::kMessage:
      return read_message(*field.message, item.bytes, depth);
  }
  return malformed("a field has no type");
}

/// A list's elements come one by one; numbers may also come as one run.
Result<> add_to_list(const Field& field, const Item& item, std::size_t depth, JsonArray& list) {
  TRY_OK(check_depth(depth));
  if (item.wire == Wire::kBytes && wire_of(field.type) == Wire::kVarint) {
    WireReader run(item.bytes);
    while (!run.done()) {
      Item element;
      TRY(element.value, run.varint());
      TRY(Json value, read_value(field, element, depth));
      list.push_back(std::move(value));
    }
    return Ok();
  }
  TRY(Json value, read_value(field, item, depth));
  list.push_back(std::move(value));
  return Ok();
}

/// {1: key, 2: value}. What is missing is empty: maps have texts, bytes and messages as values.
Result<> add_to_map(const Field& field, const Item& item, std::size_t depth, JsonObject& map) {
  TRY_OK(check_depth(depth));
  if (item.wire != Wire::kBytes) return malformed("a map's entry has a wrong wire type");
  Item key;
  Item value;
  value.wire = Wire::kBytes;
  WireReader entry(item.bytes);
  while (!entry.done()) {
    TRY(const Item part, entry.next());
    if (part.number == 1) key = part;
    if (part.number == 2) value = part;
  }
  if (!is_utf8(key.bytes)) return malformed("a key is not UTF-8");
  TRY(Json read, read_value(field, value, depth));
  if (!read.is_null()) map.insert_or_assign(key.bytes, std::move(read));
  return Ok();
}

Result<> read_members(const Message& message, std::string_view bytes, std::size_t depth,
                      JsonObject& members);

Result<> add_member(const Field& field, const Item& item, std::size_t depth, JsonObject& members) {
  if (field.spread) {
    if (item.wire != Wire::kBytes) return malformed("a message has a wrong wire type");
    return read_members(*field.message, item.bytes, depth, members);
  }
  if (field.shape == Shape::kList) {
    Json& list = members[field.name];
    if (!list.is_array()) list.emplace_array();
    return add_to_list(field, item, depth + 1, list.get_array());
  }
  if (field.shape == Shape::kMap) {
    Json& map = members[field.name];
    if (!map.is_object()) map.emplace_object();
    return add_to_map(field, item, depth + 1, map.get_object());
  }
  TRY(Json value, read_value(field, item, depth));
  if (value.is_null() || (!field.keeps_zero && is_zero(value))) return Ok();
  members.insert_or_assign(field.name, std::move(value));
  return Ok();
}

Result<> read_members(const Message& message, std::string_view bytes, std::size_t depth,
                      JsonObject& members) {
  WireReader reader(bytes);
  while (!reader.done()) {
    TRY(const Item item, reader.next());
    if (const Field* field = message.field(item.number)) {
      TRY_OK(add_member(*field, item, depth, members));
    }
  }
  return Ok();
}

Result<Json> read_message(const Message& message, std::string_view bytes, std::size_t depth) {
  const std::size_t inner = message.is_value ? depth : depth + 1;
  TRY_OK(check_depth(inner));
  JsonObject members;
  TRY_OK(read_members(message, bytes, inner, members));
  if (!message.is_value) return Json(std::move(members));
  for (auto field = message.fields.rbegin(); field != message.fields.rend(); ++field) {
    if (Json* value = members.if_contains(field->name)) return std::move(*value);
  }
  return Json(nullptr);
}

/// What stands around every object: {1: {1: apiVersion, 2: kind}, 2: the object, 3: encoding,
/// 4: type}.
struct Envelope {
  std::string_view api_version;
  std::string_view kind;
  std::string_view object;
  std::string_view encoding;
  std::string_view type;
};

Result<Envelope> read_envelope(std::string_view bytes) {
  Envelope envelope;
  std::string_view type_meta;
  WireReader reader(bytes);
  while (!reader.done()) {
    TRY(const Item item, reader.next());
    if (item.number == 1) type_meta = item.bytes;
    if (item.number == 2) envelope.object = item.bytes;
    if (item.number == 3) envelope.encoding = item.bytes;
    if (item.number == 4) envelope.type = item.bytes;
  }
  WireReader meta(type_meta);
  while (!meta.done()) {
    TRY(const Item item, meta.next());
    if (item.number == 1) envelope.api_version = item.bytes;
    if (item.number == 2) envelope.kind = item.bytes;
  }
  if (!is_utf8(envelope.api_version) || !is_utf8(envelope.kind)) {
    return malformed("its apiVersion or kind is not UTF-8");
  }
  return envelope;
}

}  // namespace

Result<Json> decode_protobuf(std::string_view body) {
  if (!body.starts_with(kMagic)) return malformed("it does not begin with k8s and a zero byte");
  TRY(const Envelope envelope, read_envelope(body.substr(kMagic.size())));
  if (!envelope.encoding.empty() || !envelope.type.empty()) {
    return Error(Code::kUnsupported, "protobuf bodies that hold another encoding are not read");
  }
  const Message* message = protobuf::Table::embedded().kind(envelope.api_version, envelope.kind);
  if (message == nullptr) {
    return Error(Code::kUnsupported,
                 fmt::format("no kind \"{}\" of apiVersion \"{}\" can be read from protobuf",
                             envelope.kind, envelope.api_version));
  }
  JsonObject object{{"kind", envelope.kind}, {"apiVersion", envelope.api_version}};
  TRY_OK(read_members(*message, envelope.object, 1, object));
  return Json(std::move(object));
}

}  // namespace trainyard
