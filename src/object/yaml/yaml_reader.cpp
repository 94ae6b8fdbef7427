#include "object/yaml/yaml_reader.h"

#include "object/json/json_duplicates.h"
#include "object/yaml/yaml_scalars.h"

#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace trainyard {
namespace {

// An alias bomb of nine short lines stands for 10^9 values: count what is made, not what is read.
// Long texts count as several values, since aliases repeat them too. Without aliases there are
// never more values than bytes.
constexpr std::size_t kMostValues = 1'000'000;
constexpr std::size_t kValuesBesideText = 10'000;
constexpr std::size_t kValuesOfOneByte = 4;
constexpr std::size_t kTextOfOneValue = 64;
constexpr std::string_view kStandardTags = "tag:yaml.org,2002:";

/// libyaml's parser, which kubectl's is a translation of, as a source of events.
class Events {
 public:
  Events(std::string_view text, std::size_t first_line) : text_(text), first_line_(first_line) {
    yaml_parser_initialize(&parser_);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  ~Events() {
    yaml_event_delete(&event_);
    yaml_parser_delete(&parser_);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  /// The event that was read last.
  const yaml_event_t& now() const { return event_; }
  YamlPlace place() const { return place_of(event_.start_mark); }

  Result<> next() {
    yaml_event_delete(&event_);
    if (yaml_parser_parse(&parser_, &event_) == 1) return Ok();
    event_ = yaml_event_t{};
    const char* problem = parser_.problem != nullptr ? parser_.problem : "it cannot be read";
    if (parser_.error == YAML_READER_ERROR) return yaml_error(place_at(), problem);
    return yaml_error(place_of(parser_.problem_mark), problem);
  }

 private:
  YamlPlace place_of(const yaml_mark_t& mark) const {
    return {mark.line + first_line_, mark.column};
  }

  /// Of the byte that is no character: there is no mark for it.
  YamlPlace place_at() const {
    const std::string_view before = text_.substr(0, parser_.problem_offset);
    const auto lines = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
    return {first_line_ + lines, before.size() - (before.rfind('\n') + 1)};
  }

  std::string_view text_;
  std::size_t first_line_;
  yaml_parser_t parser_{};
  yaml_event_t event_{};
};

std::string_view text_of(const yaml_char_t* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

/// Makes the tree of one document. Each function begins at the event of its value and ends at that
/// value's last event.
class TreeMaker {
 public:
  /// `lines`: where to note on which line each field stands; null: nowhere.
  TreeMaker(Events& events, std::size_t& values_left, std::vector<std::string>* duplicates,
            YamlLines* lines)
      : events_(events), values_left_(values_left), duplicates_(duplicates), lines_(lines) {}

  Result<Json> value(std::size_t depth) {
    if (depth > kMaxDepth) {
      return error(fmt::format("nested more than {} levels deep", kMaxDepth));
    }
    switch (events_.now().type) {
      case YAML_ALIAS_EVENT:
        return alias();
      case YAML_SCALAR_EVENT:
        return anchored(text_of(events_.now().data.scalar.anchor), &TreeMaker::scalar, depth);
      case YAML_SEQUENCE_START_EVENT:
        return anchored(text_of(events_.now().data.sequence_start.anchor), &TreeMaker::sequence,
                        depth);
      default:
        return anchored(text_of(events_.now().data.mapping_start.anchor), &TreeMaker::mapping,
                        depth);
    }
  }

 private:
  using Maker = Result<Json> (TreeMaker::*)(std::size_t depth);
  struct Anchor {
    std::optional<Json> value;  // none while it is being read
    std::size_t values = 0;
  };

  Error error(std::string_view message) const { return yaml_error(events_.place(), message); }

  Result<> count(std::size_t values) {
    if (values > values_left_) {
      return error("too many values, those counted that aliases stand for");
    }
    values_left_ -= values;
    return Ok();
  }

  Result<Json> anchored(std::string_view name, Maker make, std::size_t depth) {
    if (name.empty()) return (this->*make)(depth);
    const std::string key(name);
    anchors_[key] = Anchor();
    const std::size_t before = values_left_;
    TRY(Json made, (this->*make)(depth));
    const std::size_t values = before - values_left_;
    TRY_OK(count(values));  // the copy
    anchors_[key] = Anchor{made, values};
    return made;
  }

  Result<Json> alias() {
    const std::string_view name = text_of(events_.now().data.alias.anchor);
    const auto found = anchors_.find(std::string(name));
    if (found == anchors_.end()) return error(fmt::format("unknown anchor '{}' referenced", name));
    if (!found->second.value) return error(fmt::format("anchor '{}' value contains itself", name));
    TRY_OK(count(found->second.values));
    return *found->second.value;
  }

  Result<Json> scalar(std::size_t /*depth*/) {
    const auto& scalar = events_.now().data.scalar;
    const std::string_view text(reinterpret_cast<const char*>(scalar.value), scalar.length);
    const std::string_view tag = text_of(scalar.tag);
    TRY_OK(count(1 + text.size() / kTextOfOneValue));
    const bool is_text =
        tag.empty() ? scalar.plain_implicit == 0 : tag == std::string(kStandardTags) + "str";
    if (is_text) return Json(boost::json::string_view(text.data(), text.size()));
    if (!tag.empty() && !tag.starts_with(kStandardTags)) {
      return error(fmt::format("the tag {} has no meaning here", tag));
    }
    if (plain_not_finite(text)) return error(fmt::format("{} is no number", text));
    return resolve_plain(text);
  }

  Result<Json> sequence(std::size_t depth) {
    TRY_OK(count(1));
    JsonArray elements;
    TRY_OK(events_.next());
    while (events_.now().type != YAML_SEQUENCE_END_EVENT) {
      const std::size_t above = step_into(std::to_string(elements.size()), events_.place());
      TRY(Json element, value(depth + 1));
      path_.resize(above);
      elements.push_back(std::move(element));
      TRY_OK(events_.next());
    }
    return Json(std::move(elements));
  }

  Result<Json> mapping(std::size_t depth) {
    TRY_OK(count(1));
    JsonObject members;
    std::vector<Json> merged;
    TRY_OK(events_.next());
    while (events_.now().type != YAML_MAPPING_END_EVENT) {
      const YamlPlace place = events_.place();
      const bool merges = is_merge_key();
      TRY(const std::string key, key_text(depth));
      TRY_OK(events_.next());
      if (merges) {
        TRY(Json source, merge_source(depth + 1));
        merged.push_back(std::move(source));
      } else {
        if (members.contains(key)) TRY_OK(tell_of_duplicate(place, key));
        const std::size_t above = step_into(key, place);
        TRY(Json member, value(depth + 1));
        path_.resize(above);
        members.insert_or_assign(key, std::move(member));
      }
      TRY_OK(events_.next());
    }
    for (const Json& source : merged) merge(members, source);
    return Json(std::move(members));
  }

  /// Notes the line of a field or element. Returns what to cut the path back to behind it.
  std::size_t step_into(const std::string& name, YamlPlace place) {
    const std::size_t above = path_.size();
    if (lines_ == nullptr) return above;
    if (above > 0) path_ += '.';
    path_ += name;
    lines_->insert_or_assign(path_, place.line + 1);
    return above;
  }

  bool is_merge_key() const {
    const auto& event = events_.now();
    return event.type == YAML_SCALAR_EVENT && event.data.scalar.plain_implicit == 1 &&
           text_of(event.data.scalar.value) == "<<";
  }

  /// Numbers and booleans become text as in kubectl: `yes: 1` has the key "true".
  Result<std::string> key_text(std::size_t depth) {
    const YamlPlace place = events_.place();
    TRY(const Json key, value(depth + 1));
    if (key.is_string()) return to_string(key.get_string());
    if (key.is_null() || key.is_object() || key.is_array()) {
      return yaml_error(place, "a key must be text");
    }
    return to_text(key);
  }

  Result<> tell_of_duplicate(YamlPlace place, const std::string& key) {
    if (duplicates_ == nullptr) {
      return yaml_error(place, fmt::format("the key \"{}\" occurs twice", key));
    }
    if (duplicates_->size() >= kMostDuplicates) return Ok();
    duplicates_->push_back(
        fmt::format("line {}: key \"{}\" already set in map", place.line + 1, key));
    return Ok();
  }

  Result<Json> merge_source(std::size_t depth) {
    const YamlPlace place = events_.place();
    TRY(Json source, value(depth));
    const bool fits =
        source.is_object() ||
        (source.is_array() && std::all_of(source.get_array().begin(), source.get_array().end(),
                                          [](const Json& one) { return one.is_object(); }));
    if (!fits) return yaml_error(place, "<< takes a mapping");
    return source;
  }

  /// `<<: *base`: what the mapping itself says wins.
  static void merge(JsonObject& members, const Json& source) {
    if (source.is_array()) {
      for (const Json& one : source.get_array()) merge(members, one);
      return;
    }
    for (const auto& member : source.get_object()) {
      if (!members.contains(member.key())) members.emplace(member.key(), member.value());
    }
  }

  Events& events_;
  std::size_t& values_left_;
  std::vector<std::string>* duplicates_;
  YamlLines* lines_;
  std::string path_;  // of what is being read, where lines are noted
  std::unordered_map<std::string, Anchor> anchors_;
};

}  // namespace

Error yaml_error(YamlPlace place, std::string_view message) {
  return Error(Code::kBadRequest, fmt::format("YAML line {}, column {}: {}", place.line + 1,
                                              place.column + 1, message));
}

YamlReader::YamlReader(std::size_t size, std::vector<std::string>* duplicates)
    : values_left_(std::min(kMostValues, kValuesBesideText + kValuesOfOneByte * size)),
      duplicates_(duplicates) {}

Result<> YamlReader::read(std::string_view part, std::size_t first_line,
                          std::vector<Json>& documents, std::vector<YamlLines>* lines) {
  Events events(part, first_line);
  bool found = false;
  while (true) {
    TRY_OK(events.next());
    if (events.now().type == YAML_STREAM_END_EVENT) return Ok();
    if (events.now().type != YAML_DOCUMENT_START_EVENT) continue;
    TRY_OK(events.next());
    const YamlPlace place = events.place();
    YamlLines here{{"", place.line + 1}};
    TreeMaker maker(events, values_left_, duplicates_, lines == nullptr ? nullptr : &here);
    TRY(Json document, maker.value(0));
    if (document.is_null()) continue;
    // kubectl passes over all that follows, which nobody means.
    if (found) return yaml_error(place, "more follows the end of the document without ---");
    documents.push_back(std::move(document));
    if (lines != nullptr) lines->push_back(std::move(here));
    found = true;
  }
}

}  // namespace trainyard
