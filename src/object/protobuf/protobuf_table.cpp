#include "object/protobuf/protobuf_table.h"

#include "base/check.h"
#include "embedded/protobuf_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace trainyard::protobuf {
namespace {

/// Its kinds, such as DeleteOptions, belong to every API group.
constexpr std::string_view kEveryGroup = "meta.k8s.io/v1";

constexpr std::pair<std::string_view, Type> kPlainTypes[] = {
    {"string", Type::kString},       {"bool", Type::kBool},
    {"int32", Type::kInt32},         {"int64", Type::kInt64},
    {"double", Type::kDouble},       {"bytes", Type::kBytes},
    {"json", Type::kJson},           {"time", Type::kTime},
    {"microTime", Type::kMicroTime}, {"intOrString", Type::kIntOrString},
};

std::optional<Type> plain_type(std::string_view name) {
  for (const auto& [word, type] : kPlainTypes) {
    if (word == name) return type;
  }
  return std::nullopt;
}

/// Whether Go's omitempty leaves the zero of this type out: it never does so with structs.
bool may_be_left_out(Type type) {
  return type <= Type::kBytes;
}

/// Cuts off and returns what stands before the next separator.
std::string_view cut(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view piece = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return piece;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    if (const std::string_view word = cut(line, ' '); !word.empty()) words.push_back(word);
  }
  return words;
}

bool read_number(std::string_view text, std::uint32_t& number) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
}

}  // namespace

const Field* Message::field(std::uint64_t number) const {
  const auto at = std::lower_bound(
      fields.begin(), fields.end(), number,
      [](const Field& field, std::uint64_t wanted) { return field.number < wanted; });
  return at != fields.end() && at->number == number ? &*at : nullptr;
}

class TableReader {
 public:
  Result<Table> read(const std::vector<std::string_view>& texts) {
    for (std::string_view text : texts) {
      while (!text.empty()) {
        const std::string_view line = cut(text, '\n');
        if (!read_line(words_of(line))) return malformed(line);
      }
    }
    for (const Reference& reference : references_) {
      const auto found = named_.find(reference.to);
      if (found == named_.end()) return malformed(reference.to.second);
      reference.from->fields[reference.index].message = found->second;
    }
    return std::move(table_);
  }

 private:
  using Name = std::pair<std::string_view, std::string_view>;  // package, message
  /// Messages may be described after they are used: their places are filled in at the end.
  struct Reference {
    Message* from;
    std::size_t index;
    Name to;
  };

  static Error malformed(std::string_view line) {
    return {Code::kInternal, fmt::format("api/protobuf: cannot understand '{}'", line)};
  }

  bool read_line(const std::vector<std::string_view>& words) {
    if (words.empty() || words[0].starts_with('#')) return true;
    if (words[0] == "package" && words.size() == 3) {
      package_ = words[1];
      api_version_ = words[2];
      return true;
    }
    if (words.size() == 2) return begin_message(words[0], words[1]);
    return words.size() == 3 && !table_.messages_.empty() && read_field(words);
  }

  bool begin_message(std::string_view word, std::string_view name) {
    if (word != "kind" && word != "type" && word != "value") return false;
    Message& message = table_.messages_.emplace_back();
    message.name = name;
    message.is_value = word == "value";
    if (word == "kind") table_.kinds_[{api_version_, name}] = &message;
    return named_.emplace(Name(package_, name), &message).second;
  }

  bool read_field(const std::vector<std::string_view>& words) {
    Message& message = table_.messages_.back();
    Field field;
    if (!read_number(words[0], field.number)) return false;
    if (!message.fields.empty() && field.number <= message.fields.back().number) return false;
    field.name = words[1];
    field.spread = field.name == "...";
    std::string_view type = words[2];
    if (type.front() == '[' || type.front() == '{') {
      field.shape = type.front() == '[' ? Shape::kList : Shape::kMap;
      type = type.substr(1, type.size() - 2);
    }
    const bool marked = type.ends_with('!');
    if (marked) type.remove_suffix(1);
    field.type = plain_type(type).value_or(Type::kMessage);
    field.keeps_zero = marked || !may_be_left_out(field.type);
    if (field.type == Type::kMessage) {
      references_.push_back({&message, message.fields.size(), name_of(type)});
    }
    message.fields.push_back(field);
    return !field.spread || field.type == Type::kMessage;
  }

  Name name_of(std::string_view type) const {
    const std::size_t dot = type.find('.');
    if (dot == std::string_view::npos) return {package_, type};
    return {type.substr(0, dot), type.substr(dot + 1)};
  }

  Table table_;
  std::string_view package_;
  std::string_view api_version_;
  std::map<Name, const Message*> named_;
  std::vector<Reference> references_;
};

Result<Table> Table::parse(const std::vector<std::string_view>& texts) {
  return TableReader().read(texts);
}

const Table& Table::embedded() {
  static const Table kTable = [] {
    std::vector<std::string_view> texts;
    for (const embedded::File& file : embedded::protobuf_tables()) texts.push_back(file.bytes);
    Result<Table> table = parse(texts);
    CHECK(table.has_value());
    return *std::move(table);
  }();
  return kTable;
}

const Message* Table::kind(std::string_view api_version, std::string_view kind) const {
  auto found = kinds_.find({api_version, kind});
  if (found == kinds_.end()) found = kinds_.find({kEveryGroup, kind});
  return found == kinds_.end() ? nullptr : found->second;
}

}  // namespace trainyard::protobuf
