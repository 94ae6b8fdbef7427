#pragma once

#include "base/clock.h"
#include "base/turnstile.h"
#include "client/api.h"
#include "object/apply/managed_fields.h"
#include "server/admission/admission.h"
#include "server/admission/node_ports.h"
#include "server/admission/policies.h"
#include "server/admission/quota_ledger.h"
#include "server/admission/system_fields.h"
#include "server/kinds/kind_table.h"
#include "server/verbs/selection.h"
#include "store/store.h"

#include <boost/asio/thread_pool.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::server {

struct WriteOptions {
  bool dry_run = false;
  FieldValidation validation = FieldValidation::kWarn;
  std::vector<std::string>* warnings = nullptr;
  std::vector<std::string> duplicates;  // keys that occur twice in what was sent, a sentence each
  std::string subresource;  // where fields were set, when not in the object itself: scale
  std::string manager;      // who becomes the owner of changed fields; empty: nobody keeps track
  Writer writer = Writer::kUser;
  /// A last look at what would be stored, and at what it replaces.
  std::function<Result<>(const Json& object, const Json* before)> check;
};

struct DeleteRequest {
  std::optional<std::int64_t> grace_seconds;
  std::string uid;               // precondition
  std::string resource_version;  // precondition
  std::string propagation;       // Background, Foreground, Orphan; empty: the kind's own
  bool dry_run = false;
  /// A last look at what would go.
  std::function<Result<>(const Json& object)> check;
};

struct ListRequest : client::ListOptions {
  std::int64_t limit = 0;        // 0: all
  std::string continue_token;    // from the page before
  std::string resource_version;  // with match Exact: the state of then
  std::string version_match;
};

struct Page {
  store::Listing listing;
  std::string continue_token;             // empty: this was the last page
  std::optional<std::int64_t> remaining;  // how many follow; unknown with selectors
};

/// What the API's verbs mean, for whoever asks: the REST handler and LocalApi.
class Verbs {
 public:
  Verbs(store::Store& store, KindTable& kinds, Clock& clock)
      : store_(store),
        kinds_(kinds),
        clock_(clock),
        policies_(store),
        node_ports_(store),
        quotas_(store),
        turnstile_(store.loop()) {}

  const KindTable& kinds() const { return kinds_; }
  store::Store& store() { return store_; }
  Clock& clock() { return clock_; }

  Result<ObjectPtr> get(const Kind& kind, const Key& key) const;
  Result<Page> list(const Kind& kind, const ListRequest& request) const;

  awaitable<Result<ObjectPtr>> create(KindPtr kind, std::string ns, Json object,
                                      WriteOptions options);
  awaitable<Result<ObjectPtr>> update(KindPtr kind, Key key, Json object, Part part,
                                      WriteOptions options);
  awaitable<Result<ObjectPtr>> patch(KindPtr kind, Key key, client::PatchType type, Json patch,
                                     Part part, WriteOptions options);
  struct Applied {
    ObjectPtr object;
    bool created = false;
  };
  /// Server-side apply: merges a configuration by who owns which field.
  awaitable<Result<Applied>> apply(KindPtr kind, Key key, Json configuration, Part part, bool force,
                                   WriteOptions options);
  /// Sets .spec.replicas, or where the kind keeps it, from a Scale object or a patch of one.
  awaitable<Result<ObjectPtr>> update_scale(KindPtr kind, Key key,
                                            std::function<Result<Json>(const Json& scale)> edit,
                                            WriteOptions options);
  /// The object as it is after the request: gone, or marked and on its way.
  awaitable<Result<ObjectPtr>> remove(KindPtr kind, Key key, DeleteRequest request);
  /// Removes what is listed, one by one; returns what there was.
  awaitable<Result<store::Listing>> remove_collection(KindPtr kind, ListRequest selection,
                                                      DeleteRequest request);
  awaitable<Result<>> bind(std::vector<client::Binding> bindings);

  /// A thread for what takes long and needs nothing of ours, such as reading bodies of megabytes.
  Executor heavy() { return heavy_.get_executor(); }

  /// What is stored, as this version of the kind shows it.
  ObjectPtr present(const Kind& kind, ObjectPtr stored) const;
  /// The definitions of our own kinds, which exist without being stored.
  std::vector<ObjectPtr> built_in_objects(const Kind& kind) const;

  /// Reads the definitions that users have brought. Once, at the start.
  Result<> load_definitions();

 private:
  using OwnWarnings = std::vector<std::string>;
  /// What becomes of an object.
  struct Change {
    /// What it takes for itself goes into the hold; null: only the question is answered.
    std::function<Result<Json>(const Json& current, Hold* hold)> make;
    /// The same but for `check`, of the arguments alone, so that another thread can do it while the
    /// loop goes on: with an object of megabytes it takes up to a second. Null: there is no such
    /// way.
    std::function<Result<Json>(const Json& current, OwnWarnings& warnings)> make_apart;
    std::function<Result<>(const Json& object, const Json* before)> check;
    OwnWarnings* warnings = nullptr;
  };
  /// What make_apart() has made of the object as it was at that revision.
  struct Prepared {
    std::int64_t revision = 0;
    Json object;
    bool outdated = false;  // it is another by now
  };
  awaitable<Result<ObjectPtr>> change(KindPtr kind, Key key, bool dry_run, Change change);
  awaitable<Result<ObjectPtr>> change_once(KindPtr kind, Key key, bool dry_run,
                                           std::shared_ptr<const Change> change,
                                           std::shared_ptr<Prepared> prepared);
  awaitable<Result<std::shared_ptr<Prepared>>> prepare(KindPtr kind, Key key,
                                                       std::shared_ptr<const Change> change);
  bool is_heavy_there(const Kind& kind, const Key& key) const;
  awaitable<Result<Json>> admit_new(KindPtr kind, std::string ns, Json object,
                                    WriteOptions options);
  awaitable<Json> track_new(KindPtr kind, Json admitted, WriteOptions options);
  /// `owners`: the managedFields of an object that is created by applying.
  awaitable<Result<ObjectPtr>> create_once(KindPtr kind, std::string ns, Json object,
                                           WriteOptions options, Json owners = nullptr);
  Result<Json> admit_change(const Kind& kind, const Json& current, Json object, Part part,
                            const WriteOptions& options, Hold* hold);
  Result<> assign_ports(const Kind& kind, Json& admitted, Hold* hold);
  AdmissionContext context(const WriteOptions& options) const;
  FieldManager manager_of(const Kind& kind, Part part, const WriteOptions& options) const;
  Change change_by(KindPtr kind, Part part, const WriteOptions& options, bool tracked,
                   std::function<Result<Json>(const Json& current)> edit);
  awaitable<Result<>> after_write(KindPtr kind, ObjectPtr written);
  Result<> check_definition_stays(const Kind& kind) const;

  store::Store& store_;
  KindTable& kinds_;
  Clock& clock_;
  Policies policies_;
  NodePorts node_ports_;
  QuotaLedger quotas_;
  Turnstile turnstile_;  // for what of large objects must be done on the loop
  boost::asio::thread_pool heavy_{1};
};

}  // namespace trainyard::server
