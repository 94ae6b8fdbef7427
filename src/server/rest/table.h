#pragma once

#include "server/kinds/discovery.h"
#include "server/rest/handlers.h"

#include <span>
#include <string_view>
#include <vector>

namespace trainyard::server {

/// What goes over the wire.
enum class Wire : std::uint8_t {
  kObjects,  // in the form that the client accepts, from bodies of a type that can be read
  kStream,   // text for as long as the client wants, whatever it accepts
  kSession,  // a WebSocket: begun with GET by whom POST is allowed
  kFile,     // bytes as they are, of any size
};

/// The kind of object that a subresource speaks of; empty: its own object's.
struct Speaks {
  std::string_view group;
  std::string_view version;
  std::string_view kind;
};

/// What only some rows say.
struct RowDetails {
  bool (*having)(const Kind& kind) = nullptr;                             // null: of every kind
  bool (*asked)(const Route& route, const http::Query& query) = nullptr;  // null: in any way
  Part part = Part::kMain;
  Wire wire = Wire::kObjects;
  const Speaks* told = nullptr;  // in discovery; null: not there
  bool as_its_object = false;    // whoever may get the object may get this
};

/// Who answers which requests to resources. The first row that fits is meant.
struct RestRow {
  bool (*of)(const Resource& resource);
  std::string_view below;  // the subresource; empty: objects themselves
  std::string_view verbs;  // with blanks between them; empty: all
  CallHandler (*handler)(const Sources& sources);
  RowDetails details = {};
};

/// All that is served of resources and below them.
std::span<const RestRow> rest_rows();

/// Null: not served. Looks at nothing but what it is given.
const RestRow* find_row(const Kind& kind, const Route& route, std::string_view verb,
                        const http::Query& query);
/// Any row of that subresource, whatever the verb; null: there is none. What is not about verbs is
/// the same in all of them.
const RestRow* find_subresource(const Resource& resource, std::string_view below);
/// Any row of a subresource of that name, whatever it hangs below; null: there is none.
const RestRow* find_subresource(std::string_view below);

/// The subresources of a kind as discovery tells them.
std::vector<Subresource> told_subresources(const Kind& kind);

}  // namespace trainyard::server
