// The table of what is served, and that all who speak of subresources agree with it.
#include "server/rest/table.h"

#include "server/rest/request_metrics.h"
#include "server/test_server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace trainyard::server {
namespace {

constexpr const char* kAllVerbs[] = {"get",    "list",  "watch",  "create",
                                     "update", "patch", "delete", "deletecollection"};

std::set<std::string> verbs_of(const RestRow& row) {
  std::set<std::string> verbs;
  std::string word;
  for (const char c : std::string(row.verbs) + " ") {
    if (c != ' ') {
      word += c;
    } else if (!word.empty()) {
      verbs.insert(std::exchange(word, ""));
    }
  }
  if (verbs.empty()) verbs.insert(std::begin(kAllVerbs), std::end(kAllVerbs));
  return verbs;
}

bool hangs_below(const RestRow& row, const Kind& kind) {
  return row.of(kind.resource) && (row.details.having == nullptr || row.details.having(kind));
}

Route route_to(const Kind& kind, std::string_view below) {
  return {kind.resource, Key{"default", "x"}, std::string(below)};
}

std::string name_of_row(const RestRow& row) {
  return fmt::format("row {} (…/{}, {})", &row - rest_rows().data(), row.below, row.verbs);
}

TEST(RestTable, EveryRowIsReached) {
  std::set<const RestRow*> reached;
  for (const KindPtr& kind : test_kinds().all()) {
    for (const RestRow& row : rest_rows()) {
      for (const char* verb : kAllVerbs) {
        for (const char* query : {"", "kept=true", "progress=true", "content=true"}) {
          reached.insert(find_row(*kind, route_to(*kind, row.below), verb, http::Query(query)));
        }
      }
    }
  }
  for (const RestRow& row : rest_rows()) EXPECT_TRUE(reached.contains(&row)) << name_of_row(row);
}

TEST(RestTable, NoTwoRowsMeanTheSameRequest) {
  for (const KindPtr& kind : test_kinds().all()) {
    std::set<std::string> taken;
    for (const RestRow& row : rest_rows()) {
      if (!hangs_below(row, *kind)) continue;
      for (const std::string& verb : verbs_of(row)) {
        const std::string request = fmt::format("{} {}/{}", verb, kind->resource.plural, row.below);
        // One that is asked for in a special way stands before the others, or is never reached.
        if (row.details.asked != nullptr) {
          EXPECT_FALSE(taken.contains(request)) << name_of_row(row);
        } else {
          EXPECT_TRUE(taken.insert(request).second) << request << ": " << name_of_row(row);
        }
      }
    }
  }
}

TEST(RestTable, RowsOfOneSubresourceAgreeOnWhatIsNotAboutVerbs) {
  for (const RestRow& row : rest_rows()) {
    if (row.below.empty()) continue;
    const RestRow& first = *find_subresource(row.below);
    EXPECT_EQ(row.details.wire, first.details.wire) << name_of_row(row);
    EXPECT_EQ(row.details.as_its_object, first.details.as_its_object) << name_of_row(row);
    EXPECT_TRUE(row.of == first.of) << name_of_row(row);
  }
}

TEST(RestTable, EveryVerbThatAKindServesHasARow) {
  for (const KindPtr& kind : test_kinds().all()) {
    for (const char* verb : kAllVerbs) {
      const RestRow* row = find_row(*kind, route_to(*kind, ""), verb, http::Query());
      if (kind->serves(verb)) {
        EXPECT_NE(row, nullptr) << verb << " " << kind->resource.plural;
      }
    }
  }
}

/// name:group/version/kind:verbs of each.
std::string told(const Resource& resource) {
  std::string text;
  for (const Subresource& one : told_subresources(*kind_of(resource))) {
    text += fmt::format("{}{}:{}/{}/{}:{}", text.empty() ? "" : " ", one.name, one.type.group,
                        one.type.version, one.type.plural, fmt::join(one.verbs, ","));
  }
  return text;
}

TEST(RestTable, DiscoveryTellsWhatIsServed) {
  EXPECT_EQ(told(kPods),
            "status:/v1/Pod:get,patch,update binding:/v1/Binding:create "
            "eviction:policy/v1/Eviction:create log:/v1/Pod:get stacks:/v1/Pod:get");
  EXPECT_EQ(told(kVolumeClaims),
            "status:/v1/PersistentVolumeClaim:get,patch,update "
            "files:/v1/PersistentVolumeClaim:create,delete,get,patch,update");
  EXPECT_EQ(told(kNamespaces),
            "status:/v1/Namespace:get,patch,update finalize:/v1/Namespace:update");
  EXPECT_EQ(told(kServiceAccounts), "token:authentication.k8s.io/v1/TokenRequest:create");
  EXPECT_EQ(
      told({"apps", "v1", "deployments"}),
      "status:apps/v1/Deployment:get,patch,update scale:autoscaling/v1/Scale:get,patch,update");
  const std::string jobs = told(kPyTorchTrainingJobs);
  EXPECT_TRUE(jobs.ends_with("curves:batch.tensorstack.dev/v1beta1/PyTorchTrainingJob:get"))
      << jobs;
  EXPECT_EQ(told(kConfigMaps), "");
}

RequestLabels labels_below(const std::string& below) {
  Access access;
  access.verb = "get";
  access.resource = kPods;
  access.subresource = below;
  access.key = {"default", "a"};
  return labels_of(access, kind_of(kPods), "GET");
}

TEST(RestTable, RequestsAreCountedByTheSubresourcesThatThereAre) {
  for (const RestRow& row : rest_rows()) {
    const std::string below(row.below);
    const RequestLabels labels = labels_below(below);
    EXPECT_EQ(labels.subresource, below);
    EXPECT_EQ(labels.verb == "CONNECT", row.details.wire == Wire::kSession) << below;
    EXPECT_EQ(labels.long_running, row.details.wire != Wire::kObjects) << below;
  }
  EXPECT_EQ(labels_below("made-up").subresource, "other");
}

// ---- rights ------------------------------------------------------------------------------------

bool names(const JsonArray& list, const std::string& word) {
  return std::any_of(list.begin(), list.end(), [&](const Json& one) {
    return one.is_string() && (one.get_string() == word || one.get_string() == "*");
  });
}

/// Whether a default role other than cluster-admin gives that right to somebody.
bool somebody_may(const std::string& verb, const Resource& resource, const std::string& below) {
  for (const Json& role : default_roles()) {
    if (name_of(role) == "cluster-admin") continue;
    for (const Json& rule : array_at(role, "rules")) {
      const JsonArray& resources = array_at(rule, "resources");
      const std::string full = resource.plural + (below.empty() ? "" : "/" + below);
      const bool meant =
          names(resources, full) || (!below.empty() && names(resources, "*/" + below));
      if (meant && names(array_at(rule, "apiGroups"), resource.group) &&
          names(array_at(rule, "verbs"), verb)) {
        return true;
      }
    }
  }
  return false;
}

/// Where a pod goes, how a namespace ends and what status says is the system's.
bool is_for_the_system(std::string_view below, const std::string& verb) {
  return below == "binding" || below == "finalize" || (below == "status" && verb != "get");
}

TEST(RestTable, TheDefaultRolesLetSomebodyUseEverySubresource) {
  for (const KindPtr& kind : test_kinds().all()) {
    const bool for_people = somebody_may("get", kind->resource, "");
    for (const RestRow& row : rest_rows()) {
      const bool right_of_its_own =
          !row.below.empty() && !row.details.as_its_object &&
          (row.details.told != nullptr || row.details.wire == Wire::kSession);
      if (!for_people || !right_of_its_own || !hangs_below(row, *kind)) continue;
      const bool session = row.details.wire == Wire::kSession;
      for (const std::string& verb : session ? std::set<std::string>{"create"} : verbs_of(row)) {
        const std::string below(row.below);
        if (is_for_the_system(below, verb)) continue;
        EXPECT_TRUE(somebody_may(verb, kind->resource, below))
            << verb << " " << kind->resource.plural << "/" << below
            << ": access/default_roles.yaml gives that to nobody";
      }
    }
  }
}

TEST(RestTable, TheDefaultRolesSpeakOfSubresourcesThatThereAre) {
  // In the roles of any cluster, but not served here.
  const std::set<std::string> elsewhere{"proxy", "rollback"};
  for (const Json& role : default_roles()) {
    for (const Json& rule : array_at(role, "rules")) {
      for (const Json& resource : array_at(rule, "resources")) {
        const std::string text(resource.get_string());
        const std::size_t slash = text.find('/');
        if (slash == std::string::npos || elsewhere.contains(text.substr(slash + 1))) continue;
        EXPECT_NE(find_subresource(text.substr(slash + 1)), nullptr) << text;
      }
    }
  }
}

// ---- what is not served ------------------------------------------------------------------------

class RestTableTest : public ServerTest {};

TEST_F(RestTableTest, WhatHasNoRowIsRefusedInItsWay) {
  const std::string core = "/api/v1/namespaces/default/";
  const std::string apps = "/apis/apps/v1/namespaces/default/";
  ASSERT_TRUE(create(kPods, make_pod("a")));
  struct Case {
    const char* method;
    std::string target;
    int status;
  };
  const Case cases[] = {
      {"GET", core + "pods/a/made-up", 404},
      {"DELETE", core + "pods/a/status", 404},
      {"POST", core + "pods/a/log", 404},
      {"POST", core + "pods/a/stacks", 404},
      {"GET", core + "pods/a/binding", 404},
      {"GET", core + "pods/a/eviction", 404},
      {"GET", core + "pods/a/curves", 404},
      {"GET", core + "pods/a/files", 404},
      {"GET", core + "pods/a/scale", 404},
      {"GET", core + "pods/a/ephemeralcontainers", 400},
      {"PUT", core + "pods/a/ephemeralcontainers", 400},
      {"GET", core + "pods/a/portforward", 400},
      {"GET", core + "configmaps/a/status", 404},
      {"GET", core + "serviceaccounts/default/token", 404},
      {"GET", "/api/v1/nodes/a/log", 404},
      {"DELETE", "/api/v1/namespaces/default/finalize", 404},
      {"GET", "/api/v1/namespaces/default/finalize", 200},
      {"POST", apps + "deployments/d/scale", 405},
      {"DELETE", apps + "deployments/d/scale", 405},
      {"PATCH", core + "pods", 405},
      {"PUT", core + "pods", 405},
      {"POST", core + "pods/a", 405},
      {"DELETE", "/api/v1/namespaces", 405},
      {"OPTIONS", core + "pods/a/log", 405},
      {"OPTIONS", core + "persistentvolumeclaims/a/files", 405},
      {"DELETE", "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods/a", 405},
      {"GET", "/apis/authentication.k8s.io/v1/selfsubjectreviews", 405},
      {"POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews/a", 405},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(std::string(one.method) + " " + one.target);
    EXPECT_EQ(call(one.method, one.target).status, one.status);
  }
}

TEST_F(RestTableTest, OnlyWhatIsNoObjectComesToThoseWhoWantNoJson) {
  ASSERT_TRUE(create(kPods, make_pod("a")));
  const std::string pod = "/api/v1/namespaces/default/pods/a";
  const std::vector<Header> html{{"Accept", "text/html"}};
  EXPECT_EQ(call("GET", pod, "", html).status, 406);
  EXPECT_EQ(call("GET", pod + "/stacks", "", html).status, 406);
  EXPECT_EQ(call("GET", pod + "/log", "", html).status, 200);
  EXPECT_EQ(call("GET", "/api/v1/nodes/a/log", "", html).status, 404);
  EXPECT_EQ(call("GET", "/api/v1/nodes/a/stacks", "", html).status, 406);
  EXPECT_EQ(call("GET", pod + "/exec?command=x&stdout=1", "", html).status, 400);
}

TEST_F(RestTableTest, KeptLogsBelongToANamespace) {
  streams_.kept.push_back({});
  const Json kept = body_of(call("GET", "/api/v1/namespaces/default/pods?kept=true"));
  EXPECT_EQ(array_at(kept, "items").size(), 1U);
  EXPECT_EQ(string_at(body_of(call("GET", "/api/v1/pods?kept=true")), "kind"), "PodList");
}

}  // namespace
}  // namespace trainyard::server
