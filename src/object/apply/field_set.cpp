#include "object/apply/field_set.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard {
namespace {

using Node = FieldSet::Node;

bool is_before(const Node& a, const Node& b) {
  return a.element < b.element;
}

bool leads_nowhere(const Node& node) {
  return !node.belongs && node.below.empty();
}

JsonObject level_to_json(const FieldSet& set) {
  JsonObject level;
  level.reserve(set.nodes().size());
  for (const Node& node : set.nodes()) {
    JsonObject below = level_to_json(node.below);
    if (node.belongs && !below.empty()) {
      JsonObject with_itself;
      with_itself.reserve(below.size() + 1);
      with_itself["."] = JsonObject();
      for (auto& member : below) with_itself[member.key()] = std::move(member.value());
      below = std::move(with_itself);
    }
    level.emplace(node.element.to_text(), std::move(below));
  }
  return level;
}

void collect_paths(const FieldSet& set, const std::string& prefix,
                   std::vector<std::string>& paths) {
  for (const Node& node : set.nodes()) {
    if (node.belongs) paths.push_back(prefix + node.element.shown());
  }
  for (const Node& node : set.nodes()) {
    if (!node.below.empty()) collect_paths(node.below, prefix + node.element.shown(), paths);
  }
}

}  // namespace

FieldSet::FieldSet(std::vector<Node> nodes) : nodes_(std::move(nodes)) {
  std::erase_if(nodes_, leads_nowhere);
  if (std::is_sorted(nodes_.begin(), nodes_.end(), is_before)) {
    const auto same = [](const Node& a, const Node& b) { return a.element == b.element; };
    if (std::adjacent_find(nodes_.begin(), nodes_.end(), same) == nodes_.end()) return;
  }
  std::sort(nodes_.begin(), nodes_.end(), is_before);
  std::vector<Node> merged;
  merged.reserve(nodes_.size());
  for (Node& node : nodes_) {
    if (merged.empty() || merged.back().element != node.element) {
      merged.push_back(std::move(node));
      continue;
    }
    merged.back().belongs |= node.belongs;
    merged.back().below.add(std::move(node.below));
  }
  nodes_ = std::move(merged);
}

Result<FieldSet> FieldSet::parse(const Json& fields_v1) {
  if (!fields_v1.is_object()) {
    return Error(Code::kInvalid, "a set of fields must be an object, not " + to_text(fields_v1));
  }
  bool has_itself = false;  // of the whole object, which nobody owns
  return parse_level(fields_v1.get_object(), has_itself);
}

Result<FieldSet> FieldSet::parse_level(const JsonObject& level, bool& has_itself) {
  std::vector<Node> nodes;
  nodes.reserve(level.size());
  for (const auto& member : level) {
    const std::string_view name(member.key().data(), member.key().size());
    if (name == ".") {
      has_itself = true;
      continue;
    }
    auto element = PathElement::parse(name);
    if (element.failed_with(Code::kUnsupported)) continue;
    if (!element) return std::move(element).error();
    if (!member.value().is_object()) {
      return Error(Code::kInvalid, fmt::format("the value of '{}' must be an object", name));
    }
    Node node{*std::move(element), false, {}};
    TRY(node.below, parse_level(member.value().get_object(), node.belongs));
    node.belongs = node.belongs || node.below.empty();
    nodes.push_back(std::move(node));
  }
  return FieldSet(std::move(nodes));
}

Json FieldSet::to_json() const {
  return level_to_json(*this);
}

const FieldSet::Node* FieldSet::find(const PathElement& element) const {
  const auto found =
      std::lower_bound(nodes_.begin(), nodes_.end(), element,
                       [](const Node& node, const PathElement& e) { return node.element < e; });
  return found != nodes_.end() && found->element == element ? &*found : nullptr;
}

bool FieldSet::contains(const Path& path) const {
  const FieldSet* level = this;
  const Node* node = nullptr;
  for (const PathElement& element : path) {
    node = level->find(element);
    if (node == nullptr) return false;
    level = &node->below;
  }
  return node != nullptr && node->belongs;
}

bool FieldSet::is_within(const FieldSet& other) const {
  return std::all_of(nodes_.begin(), nodes_.end(), [&](const Node& node) {
    const Node* same = other.find(node.element);
    return same != nullptr && (same->belongs || !node.belongs) && node.below.is_within(same->below);
  });
}

void FieldSet::insert(const Path& path) {
  FieldSet single;
  for (std::size_t i = path.size(); i-- > 0;) {
    std::vector<Node> level;
    level.push_back(Node{path[i], i + 1 == path.size(), std::move(single)});
    single = FieldSet(std::move(level));
  }
  add(std::move(single));
}

void FieldSet::add(FieldSet other) {
  if (nodes_.empty()) std::swap(nodes_, other.nodes_);
  if (other.empty()) return;
  std::vector<Node> merged;
  merged.reserve(nodes_.size() + other.nodes_.size());
  auto mine = nodes_.begin();
  for (Node& theirs : other.nodes_) {
    while (mine != nodes_.end() && mine->element < theirs.element) {
      merged.push_back(std::move(*mine++));
    }
    if (mine == nodes_.end() || mine->element != theirs.element) {
      merged.push_back(std::move(theirs));
      continue;
    }
    mine->belongs |= theirs.belongs;
    mine->below.add(std::move(theirs.below));
    merged.push_back(std::move(*mine++));
  }
  std::move(mine, nodes_.end(), std::back_inserter(merged));
  nodes_ = std::move(merged);
}

void FieldSet::remove(const FieldSet& other) {
  if (other.empty()) return;
  auto theirs = other.nodes_.begin();
  for (Node& mine : nodes_) {
    while (theirs != other.nodes_.end() && theirs->element < mine.element) ++theirs;
    if (theirs == other.nodes_.end()) break;
    if (theirs->element != mine.element) continue;
    if (theirs->belongs) mine.belongs = false;
    mine.below.remove(theirs->below);
  }
  std::erase_if(nodes_, leads_nowhere);
}

FieldSet FieldSet::common_with(const FieldSet& other) const {
  FieldSet common;
  auto theirs = other.nodes_.begin();
  for (const Node& mine : nodes_) {
    while (theirs != other.nodes_.end() && theirs->element < mine.element) ++theirs;
    if (theirs == other.nodes_.end()) break;
    if (theirs->element != mine.element) continue;
    Node both{mine.element, mine.belongs && theirs->belongs, mine.below.common_with(theirs->below)};
    if (!leads_nowhere(both)) common.nodes_.push_back(std::move(both));
  }
  return common;
}

std::vector<std::string> FieldSet::paths() const {
  std::vector<std::string> paths;
  collect_paths(*this, "", paths);
  return paths;
}

bool FieldSet::operator==(const FieldSet& other) const {
  return nodes_ == other.nodes_;
}

}  // namespace trainyard
