#include "server/access/access.h"

#include <gtest/gtest.h>

namespace trainyard::server {
namespace {

Access access(const std::string& method, const std::string& path, const std::string& query = "") {
  const auto route = parse_route(path);
  EXPECT_TRUE(route) << path;
  return access_to(method, *route, http::Query(query));
}

TEST(Access, NamesTheVerbOfARequest) {
  struct Case {
    const char* method;
    const char* path;
    const char* query;
    const char* verb;
  };
  for (const Case& request : {
           Case{"GET", "/api/v1/namespaces/a/pods/p", "", "get"},
           Case{"HEAD", "/api/v1/namespaces/a/pods/p", "", "get"},
           Case{"GET", "/api/v1/namespaces/a/pods", "", "list"},
           Case{"GET", "/api/v1/pods", "watch=false", "list"},
           Case{"GET", "/api/v1/pods", "watch=1", "watch"},
           Case{"GET", "/api/v1/namespaces/a/pods/p", "watch=true", "get"},
           Case{"POST", "/api/v1/namespaces/a/pods", "", "create"},
           Case{"PUT", "/api/v1/namespaces/a/pods/p", "", "update"},
           Case{"PATCH", "/api/v1/namespaces/a/pods/p", "", "patch"},
           Case{"DELETE", "/api/v1/namespaces/a/pods/p", "", "delete"},
           Case{"DELETE", "/api/v1/namespaces/a/pods", "", "deletecollection"},
           Case{"BREW", "/api/v1/namespaces/a/pods", "", ""},
       }) {
    EXPECT_EQ(access(request.method, request.path, request.query).verb, request.verb)
        << request.method << " " << request.path << "?" << request.query;
  }
}

TEST(Access, ListsOfOneNameCountAsNamed) {
  const auto name = [](const std::string& method, const std::string& query) {
    return access(method, "/api/v1/namespaces/a/pods", query).key.name;
  };
  EXPECT_EQ(name("GET", "fieldSelector=metadata.name%3Dx"), "x");
  EXPECT_EQ(name("GET", "watch=1&fieldSelector=status.phase!=Failed,metadata.name==x"), "x");
  EXPECT_EQ(name("GET", "fieldSelector=metadata.name!=x"), "");
  EXPECT_EQ(name("GET", "fieldSelector=metadata.name=a/b"), "");
  EXPECT_EQ(name("GET", "fieldSelector=nonsense"), "");
  EXPECT_EQ(name("GET", ""), "");
  EXPECT_EQ(name("DELETE", "fieldSelector=metadata.name=x"), "")
      << "as kube-apiserver: deletecollection cannot be restricted by name";
}

TEST(Access, ANamespaceIsAnObjectOfItself) {
  EXPECT_EQ(access("GET", "/api/v1/namespaces/a").key, (Key{"a", "a"}));
  EXPECT_EQ(access("PUT", "/api/v1/namespaces/a/finalize").key, (Key{"a", "a"}));
  EXPECT_EQ(access("GET", "/api/v1/namespaces").key, (Key{"", ""}));
}

TEST(Access, KeepsGroupAndSubresource) {
  const Access log = access("GET", "/api/v1/namespaces/a/pods/p/log");
  EXPECT_EQ(log.resource.plural, "pods");
  EXPECT_EQ(log.subresource, "log");
  const Access job = access("GET", "/apis/kubeflow.org/v1/pytorchjobs");
  EXPECT_EQ(job.resource.group, "kubeflow.org");
}

TEST(Access, ForbiddenIsSaidAsKubeApiserverSaysIt) {
  const User ann{"ann", "", {}, {}};
  EXPECT_EQ(forbidden(ann, access("GET", "/api/v1/namespaces/default/pods/x"), "").message(),
            "pods \"x\" is forbidden: User \"ann\" cannot get resource \"pods\" in API group \"\" "
            "in the namespace \"default\"");
  EXPECT_EQ(forbidden(ann, access("GET", "/apis/batch/v1/namespaces/team/jobs"), "").message(),
            "jobs.batch is forbidden: User \"ann\" cannot list resource \"jobs\" in API group "
            "\"batch\" in the namespace \"team\"");
  EXPECT_EQ(forbidden(ann, access("GET", "/api/v1/nodes"), "").message(),
            "nodes is forbidden: User \"ann\" cannot list resource \"nodes\" in API group \"\" at "
            "the cluster scope");
  EXPECT_EQ(
      forbidden(ann, access("GET", "/api/v1/namespaces/a/pods/p/log"), "RBAC: why").message(),
      "pods \"p\" is forbidden: User \"ann\" cannot get resource \"pods/log\" in API group \"\" "
      "in the namespace \"a\": RBAC: why");
  EXPECT_EQ(forbidden(ann, access_to("GET", "/metrics"), "").message(),
            "forbidden: User \"ann\" cannot get path \"/metrics\"");
}

TEST(Access, QuotesAsGoDoes) {
  EXPECT_EQ(in_quotes("a\"b\\c\n"), R"("a\"b\\c\x0a")");
  EXPECT_EQ(in_quotes(std::vector<std::string>{"a", "b"}), R"(["a" "b"])");
  EXPECT_EQ(in_quotes(std::vector<std::string>{}), "[]");
}

}  // namespace
}  // namespace trainyard::server
