#pragma once

#include "base/clock.h"
#include "client/api.h"
#include "object/selector.h"
#include "server/admission.h"
#include "server/kind_table.h"
#include "store/store.h"

#include <optional>
#include <string>
#include <vector>

namespace trainyard::server {

struct WriteOptions {
  bool dry_run = false;
  FieldValidation validation = FieldValidation::kWarn;
  std::vector<std::string>* warnings = nullptr;
};

struct DeleteRequest {
  std::optional<std::int64_t> grace_seconds;
  std::string uid;               // precondition
  std::string resource_version;  // precondition
  bool dry_run = false;
};

/// What the API's verbs mean, for whoever asks: the REST handler and LocalApi.
class Verbs {
 public:
  Verbs(store::Store& store, const KindTable& kinds, Clock& clock)
      : store_(store), kinds_(kinds), clock_(clock) {}

  const KindTable& kinds() const { return kinds_; }
  store::Store& store() { return store_; }
  Clock& clock() { return clock_; }

  Result<ObjectPtr> get(const Kind& kind, const Key& key) const;
  Result<store::Listing> list(const Kind& kind, const client::ListOptions& options) const;

  awaitable<Result<ObjectPtr>> create(const Kind& kind, std::string ns, Json object,
                                      WriteOptions options);
  awaitable<Result<ObjectPtr>> update(const Kind& kind, Key key, Json object, Part part,
                                      WriteOptions options);
  awaitable<Result<ObjectPtr>> patch(const Kind& kind, Key key, client::PatchType type, Json patch,
                                     Part part, WriteOptions options);
  /// The object as it is after the request: gone, or marked and on its way.
  awaitable<Result<ObjectPtr>> remove(const Kind& kind, Key key, DeleteRequest request);
  awaitable<Result<>> bind(std::vector<client::Binding> bindings);

 private:
  using Change = std::function<Result<Json>(const Json& current)>;
  awaitable<Result<ObjectPtr>> change(const Kind& kind, Key key, bool dry_run, Change change);
  AdmissionContext context(const WriteOptions& options) const;

  store::Store& store_;
  const KindTable& kinds_;
  Clock& clock_;
};

/// Parsed selectors of a list or watch; refuses fields that the kind cannot be selected by.
class Selection {
 public:
  static Result<Selection> parse(const Kind& kind, const client::ListOptions& options);
  bool matches(const Json& object) const;

 private:
  std::string ns_;
  LabelSelector labels_;
  FieldSelector fields_;
};

}  // namespace trainyard::server
