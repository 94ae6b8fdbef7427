#include "workloads/apps/deployment_plan.h"

#include "object/values/status.h"
#include "workloads/apps/apps.h"
#include "workloads/apps/deployment_status.h"
#include "workloads/apps/pods.h"
#include "workloads/apps/revision.h"
#include "workloads/apps/rollout.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

namespace trainyard::workloads {
namespace {

std::int64_t number_of(const Json& set, const char* annotation) {
  const std::string_view text = annotation_of(set, annotation);
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

SetSize size_of(const Json& set) {
  SetSize size;
  size.uid = uid_of(set);
  size.replicas = int_at(set, "spec.replicas", 1);
  size.max_replicas = number_of(set, kMaxReplicas);
  size.created = string_at(set, "metadata.creationTimestamp");
  return size;
}

class Planner {
 public:
  explicit Planner(const DeploymentView& view)
      : view_(view),
        deployment_(view.deployment->body()),
        form_(read_rollout(deployment_)),
        new_set_(find_new_set(deployment_, view.sets)) {
    for (const ObjectPtr& set : view.sets) {
      sizes_[std::string(uid_of(set->body()))] = size_of(set->body());
      if (set != new_set_) old_sets_.push_back(set);
    }
    for (const ObjectPtr& pod : view.pods) count_pod(pod->body());
  }

  DeploymentPlan run() {
    const bool selects_all = object_at(deployment_, "spec.selector").empty();
    if (selects_all) tell(true, "SelectingAll", "This deployment would select all pods.");
    if (is_being_deleted(deployment_) || selects_all) {
      write_status(false);
      return std::move(plan_);
    }
    note_pause();
    if (form_.paused || is_being_scaled()) {
      take_up_new_set();
      scale();
      const Json status = write_status(false);
      if (form_.paused) clean_up();
    } else {
      const bool settled = form_.recreate ? recreate() : roll();
      const Json status = write_status(true);
      if (settled && is_complete(deployment_, form_, status)) clean_up();
    }
    write_changes();
    return std::move(plan_);
  }

 private:
  struct Change {
    JsonObject annotations;
    JsonObject spec;
  };

  void count_pod(const Json& pod) {
    const Json* owner = controller_of(pod);
    if (owner == nullptr) return;
    const auto set = sizes_.find(std::string(string_at(*owner, "uid")));
    if (set == sizes_.end()) return;  // another's, whose selector is too wide
    const bool is_new = new_set_ != nullptr && set->first == uid_of(new_set_->body());
    if (!is_new && !has_ended(pod)) old_pods_run_ = true;
    if (!is_active_pod(pod)) return;
    ++set->second.active;
    if (is_available_pod(pod, std::chrono::seconds(form_.min_ready), view_.now)) {
      ++set->second.available;
    }
  }

  void tell(bool warning, std::string reason, std::string message) {
    plan_.events.push_back(DeploymentEvent{warning, std::move(reason), std::move(message)});
  }

  void note_progress(const char* status, const char* reason, std::string message) {
    if (form_.has_deadline)
      progress_ = Condition{"Progressing", status, reason, std::move(message)};
  }

  /// A pause stops the deadline's clock; its end starts it anew.
  void note_pause() {
    const Json* now = find_condition(deployment_, "Progressing");
    const std::string_view reason = now == nullptr ? "" : string_at(*now, "reason");
    if (reason == "ProgressDeadlineExceeded") return;
    const bool was_paused = reason == "DeploymentPaused";
    if (form_.paused && !was_paused) {
      note_progress("Unknown", "DeploymentPaused", "The rollout is paused.");
    } else if (!form_.paused && was_paused) {
      note_progress("Unknown", "DeploymentResumed", "The rollout goes on.");
    }
  }

  SetSize& size(const ObjectPtr& set) { return sizes_.at(std::string(uid_of(set->body()))); }

  std::int64_t total() const {
    std::int64_t sum = 0;
    for (const auto& [uid, one] : sizes_) sum += one.replicas;
    return sum;
  }

  /// The pods that the old sets have, or may still make.
  std::int64_t old_pods() const {
    std::int64_t sum = 0;
    for (const SetSize& set : old_sizes()) sum += std::max(set.replicas, set.active);
    return sum;
  }

  std::vector<SetSize> old_sizes() const {
    std::vector<SetSize> old;
    for (const ObjectPtr& set : old_sets_) {
      old.push_back(sizes_.at(std::string(uid_of(set->body()))));
    }
    return old;
  }

  void resize(const ObjectPtr& set, std::int64_t replicas) {
    SetSize& now = size(set);
    Change& change = changes_[now.uid];
    change.annotations[kDesiredReplicas] = std::to_string(form_.replicas);
    change.annotations[kMaxReplicas] = std::to_string(form_.replicas + form_.max_surge);
    if (now.replicas == replicas) return;
    change.spec["replicas"] = replicas;
    tell(false, "ScalingReplicaSet",
         fmt::format("Scaled {} replica set {} from {} to {}",
                     now.replicas < replicas ? "up" : "down", name_of(set->body()), now.replicas,
                     replicas));
    now.replicas = replicas;
  }

  bool resize_all(const std::vector<ObjectPtr>& sets, const Sizes& sizes) {
    for (const ObjectPtr& set : sets) {
      const auto wanted = sizes.find(std::string(uid_of(set->body())));
      if (wanted != sizes.end()) resize(set, wanted->second);
    }
    return !sizes.empty();
  }

  std::int64_t next_revision() const {
    std::int64_t last = 0;
    for (const ObjectPtr& set : old_sets_) last = std::max(last, revision_of(set->body()));
    return last + 1;
  }

  void write_revision(std::int64_t revision) {
    if (revision_of(deployment_) != revision) plan_.revision = revision;
  }

  /// The set for the template exists: it becomes the latest revision, also when it was an earlier.
  void take_up_new_set() {
    if (new_set_ == nullptr) return;
    const Json& set = new_set_->body();
    const JsonObject& before = object_at(set, "metadata.annotations");
    const JsonObject wanted = annotations_for_set(deployment_, before, next_revision());
    Change& change = changes_[std::string(uid_of(set))];
    for (const auto& annotation : wanted) {
      const Json* old = before.if_contains(annotation.key());
      if (old == nullptr || *old != annotation.value()) {
        change.annotations[annotation.key()] = annotation.value();
      }
    }
    if (int_at(set, "spec.minReadySeconds") != form_.min_ready) {
      change.spec["minReadySeconds"] = form_.min_ready;
    }
    write_revision(std::max(revision_of(set), next_revision()));
    if (!progress_ && find_condition(deployment_, "Progressing") == nullptr) {
      note_progress("True", "FoundNewReplicaSet",
                    fmt::format("Found new replica set \"{}\"", name_of(set)));
    }
  }

  void create_new_set() {
    const std::int64_t replicas = new_set_size(form_, 0, old_pods());
    const std::int64_t revision = next_revision();
    Json set = make_replica_set(deployment_, replicas, form_.replicas + form_.max_surge, revision);
    const std::string name(name_of(set));
    if (replicas > 0) {
      tell(false, "ScalingReplicaSet",
           fmt::format("Scaled up replica set {} from 0 to {}", name, replicas));
    }
    note_progress("True", "NewReplicaSetCreated",
                  fmt::format("Created new replica set \"{}\"", name));
    write_revision(revision);
    created_replicas_ = replicas;
    plan_.create_set = std::move(set);
  }

  /// True when nothing was left to do.
  bool roll() {
    if (new_set_ == nullptr) {
      create_new_set();
      return false;
    }
    take_up_new_set();
    const std::int64_t wanted = new_set_size(form_, size(new_set_).replicas, old_pods());
    if (wanted != size(new_set_).replicas) {
      resize(new_set_, wanted);
      return false;
    }
    return !resize_all(old_sets_, shrink_old_sets(form_, size(new_set_), old_sizes()));
  }

  bool recreate() {
    bool shrunk = false;
    for (const ObjectPtr& set : old_sets_) {
      if (size(set).replicas == 0) continue;
      resize(set, 0);
      shrunk = true;
    }
    if (shrunk || old_pods_run_) return false;
    if (new_set_ == nullptr) {
      create_new_set();
      return false;
    }
    take_up_new_set();
    if (size(new_set_).replicas == form_.replicas) return true;
    resize(new_set_, form_.replicas);
    return false;
  }

  /// spec.replicas has changed since a set was given its size.
  bool is_being_scaled() const {
    if (form_.recreate) return false;  // there, one set has it all
    return std::any_of(view_.sets.begin(), view_.sets.end(), [&](const ObjectPtr& set) {
      return int_at(set->body(), "spec.replicas", 1) > 0 &&
             !annotation_of(set->body(), kDesiredReplicas).empty() &&
             number_of(set->body(), kDesiredReplicas) != form_.replicas;
    });
  }

  /// The set that all of a change goes to, when there is no rollout under way.
  ObjectPtr only_set() const {
    ObjectPtr only;
    std::size_t active = 0;
    ObjectPtr latest = new_set_;
    for (const ObjectPtr& set : view_.sets) {
      if (int_at(set->body(), "spec.replicas", 1) > 0) {
        ++active;
        only = set;
      }
      if (new_set_ == nullptr &&
          (latest == nullptr || string_at(latest->body(), "metadata.creationTimestamp") <
                                    string_at(set->body(), "metadata.creationTimestamp"))) {
        latest = set;
      }
    }
    if (active == 0) return latest;
    return active == 1 ? only : nullptr;
  }

  void scale() {
    if (view_.sets.empty()) return;
    if (const ObjectPtr only = only_set()) {
      resize(only, form_.replicas);
      return;
    }
    const bool rolled_out = new_set_ != nullptr && size(new_set_).replicas == form_.replicas &&
                            size(new_set_).available == form_.replicas &&
                            number_of(new_set_->body(), kDesiredReplicas) == form_.replicas;
    if (rolled_out) {
      for (const ObjectPtr& set : old_sets_) {
        if (size(set).replicas > 0) resize(set, 0);
      }
      return;
    }
    if (form_.recreate) return;
    std::vector<SetSize> all;
    for (const ObjectPtr& set : view_.sets) all.push_back(size(set));
    resize_all(view_.sets, scale_in_proportion(form_, std::move(all)));
  }

  Json write_status(bool follows_rollout) {
    StatusView view{deployment_,     form_,     {},       nullptr, total() + created_replicas_,
                    follows_rollout, progress_, view_.now};
    for (const ObjectPtr& set : view_.sets) view.sets.push_back(&set->body());
    if (new_set_ != nullptr) view.new_set = &new_set_->body();
    DeploymentStatus result = deployment_status(view);
    plan_.look_again = result.look_again;
    const Json* before = find(deployment_, "status");
    if (before == nullptr || *before != result.status) plan_.status = result.status;
    return std::move(result.status);
  }

  /// Old sets without pods are kept to go back to, but not all of them.
  void clean_up() {
    std::vector<ObjectPtr> kept;
    std::copy_if(old_sets_.begin(), old_sets_.end(), std::back_inserter(kept),
                 [](const ObjectPtr& set) { return !is_being_deleted(set->body()); });
    const auto excess = static_cast<std::int64_t>(kept.size()) - form_.history_limit;
    if (excess <= 0) return;
    std::sort(kept.begin(), kept.end(), [](const ObjectPtr& a, const ObjectPtr& b) {
      return revision_of(a->body()) < revision_of(b->body());
    });
    kept.resize(static_cast<std::size_t>(excess));
    for (const ObjectPtr& set : kept) {
      const Json& body = set->body();
      const bool unused =
          int_at(body, "status.replicas") == 0 && size(set).replicas == 0 &&
          int_at(body, "metadata.generation") <= int_at(body, "status.observedGeneration");
      if (unused) plan_.remove_sets.push_back(set);
    }
  }

  void write_changes() {
    for (const ObjectPtr& set : view_.sets) {
      const Json& body = set->body();
      const auto found = changes_.find(std::string(uid_of(body)));
      if (found == changes_.end()) continue;
      Change& change = found->second;
      for (const auto& annotation : object_at(body, "metadata.annotations")) {
        const Json* wanted = change.annotations.if_contains(annotation.key());
        if (wanted != nullptr && *wanted == annotation.value()) {
          change.annotations.erase(annotation.key());
        }
      }
      if (change.annotations.empty() && change.spec.empty()) continue;
      JsonObject metadata{{"uid", uid_of(body)},
                          {"resourceVersion", string_at(body, "metadata.resourceVersion")}};
      if (!change.annotations.empty()) metadata["annotations"] = std::move(change.annotations);
      Json patch{{"metadata", std::move(metadata)}};
      if (!change.spec.empty()) patch.get_object()["spec"] = std::move(change.spec);
      plan_.change_sets.push_back(SetChange{std::string(name_of(body)), std::move(patch)});
    }
  }

  const DeploymentView& view_;
  const Json& deployment_;
  RolloutForm form_;
  ObjectPtr new_set_;  // null: the template has none yet
  std::vector<ObjectPtr> old_sets_;
  std::map<std::string, SetSize> sizes_;  // as this plan leaves them
  bool old_pods_run_ = false;             // or end: with strategy Recreate they are waited for
  std::int64_t created_replicas_ = 0;
  std::map<std::string, Change> changes_;
  std::optional<Condition> progress_;
  DeploymentPlan plan_;
};

}  // namespace

DeploymentPlan plan_deployment(const DeploymentView& view) {
  return Planner(view).run();
}

}  // namespace trainyard::workloads
