#include "cli/arena/context.h"

#include "base/crypto/md5.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::cli::arena {
namespace {

constexpr const char* kIsolateLabel = "arena.kubeflow.org/isolate-user";
const Resource kSelfReviews{"authentication.k8s.io", "v1", "selfsubjectreviews"};

}  // namespace

bool Visibility::sees(const Json& job) const {
  return !isolated_.contains(std::string(namespace_of(job))) ||
         label_of(job, kUidLabel) == caller_id_;
}

Result<Session*> Context::session() {
  if (session_) return session_.get();
  Flags flags = flags_;
  if (!globals_.kubeconfig.empty()) flags.kubeconfig = globals_.kubeconfig;
  flags.ns.clear();
  auto opened = Session::open(flags);
  if (opened.failed_with(Code::kUnavailable)) {
    return Error(Code::kUnavailable,
                 "no server runs here: start one with `trainyard up --detach`, or name a cluster's "
                 "kubeconfig with --config");
  }
  if (!opened) return std::move(opened).error();
  session_ = *std::move(opened);
  default_ns_ = session_->ns();
  if (const std::string configured = config_.get("namespace"); !configured.empty()) {
    default_ns_ = configured;
  }
  const std::string& given = globals_.ns.empty() ? flags_.ns : globals_.ns;
  ns_ = given.empty() ? default_ns_ : given;
  return session_.get();
}

Result<Caller> Context::caller() {
  if (caller_) return *caller_;
  TRY(Session* const session, this->session());
  const Json review{{"apiVersion", "authentication.k8s.io/v1"}, {"kind", "SelfSubjectReview"}};
  const auto answer = session->run(session->api().create(kSelfReviews, "", review));
  if (answer.failed_with(Code::kNotFound)) {
    return Error(Code::kUnsupported,
                 "the cluster does not tell who you are: Kubernetes does so from version 1.28 on");
  }
  if (!answer) return answer.error();
  Caller caller;
  caller.name = string_at((*answer)->body(), "status.userInfo.username");
  caller.id = md5_hex(caller.name);
  return *(caller_ = std::move(caller));
}

Result<bool> Context::is_administrator(const Caller& caller) {
  TRY(Session* const session, this->session());
  const auto map =
      session->run(session->api().get(kConfigMaps, Key{globals_.arena_namespace, "arena-config"}));
  if (map.failed_with(Code::kNotFound) || map.failed_with(Code::kForbidden)) return false;
  if (!map) return map.error();
  Config data;
  data.values["adminUsers"] = string_at(object_at((*map)->body(), "data"), "adminUsers");
  const std::vector<std::string> names = data.get_list("adminUsers");
  return std::find(names.begin(), names.end(), caller.name) != names.end();
}

Result<std::set<std::string>> Context::isolated_namespaces(bool all_namespaces) {
  TRY(Session* const session, this->session());
  std::set<std::string> isolated;
  if (all_namespaces) {
    client::ListOptions options;
    options.labels = fmt::format("{}=true", kIsolateLabel);
    const auto listing = session->run(session->api().list(kNamespaces, options));
    if (listing.failed_with(Code::kForbidden)) return isolated;
    if (!listing) return listing.error();
    for (const ObjectPtr& one : listing->items) isolated.emplace(name_of(one->body()));
    return isolated;
  }
  const auto found = session->run(session->api().get(kNamespaces, Key{"", ns_}));
  if (found.failed_with(Code::kNotFound)) {
    return Error(
        Code::kNotFound,
        fmt::format("there is no namespace {}: `kubectl create namespace {}` makes it", ns_, ns_));
  }
  // Who may work in a namespace need not be allowed to look at it.
  if (found.failed_with(Code::kForbidden)) return isolated;
  if (!found) return found.error();
  if (label_of((*found)->body(), kIsolateLabel) == "true") isolated.insert(ns_);
  return isolated;
}

Result<Visibility> Context::visibility(bool all_namespaces) {
  TRY(std::set<std::string> isolated, isolated_namespaces(all_namespaces));
  if (isolated.empty()) return Visibility();
  TRY(const Caller caller, this->caller());
  TRY(const bool administrator, is_administrator(caller));
  if (administrator) return Visibility();
  return Visibility(std::move(isolated), caller.id);
}

Error not_yours(const std::string& job) {
  return Error(Code::kForbidden,
               fmt::format("the job {} belongs to somebody else: you do not own it", job));
}

}  // namespace trainyard::cli::arena
