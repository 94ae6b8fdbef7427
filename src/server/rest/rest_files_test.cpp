#include "server/test_server.h"

namespace trainyard::server {
namespace {

constexpr const char* kFiles = "/api/v1/namespaces/default/persistentvolumeclaims/data/files";

class RestFiles : public ServerTest {
 protected:
  http::Response ask(const std::string& method, const std::string& query,
                     std::vector<Header> headers = {}, const std::string& body = "") {
    return call(method, std::string(kFiles) + "?" + query, body, std::move(headers));
  }
  static std::string header(const http::Response& response, const char* name) {
    return std::string(response.headers.find(name).value_or(""));
  }
};

TEST_F(RestFiles, ListsAFolder) {
  files_.contents = {{"a.txt", "one"}, {"b\xff", ""}};
  const http::Response answer = ask("GET", "path=%2Fin%2F%2F&limit=5&after=a%20b");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(files_.asked, std::vector<std::string>{"look data in a b 5"});
  const Json body = body_of(answer);
  EXPECT_EQ(int_at(body, "total"), 2);
  EXPECT_EQ(string_at(array_at(body, "entries")[1], "encoded"), "b%FF");
}

TEST_F(RestFiles, GivesAFileThatNoBrowserShows) {
  files_.contents["page.html"] = "<script>";
  const http::Response answer = ask("GET", "path=page.html&content=true");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "<script>");
  EXPECT_EQ(header(answer, "Content-Type"), "application/octet-stream");
  EXPECT_EQ(header(answer, "X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(header(answer, "Content-Security-Policy"), "default-src 'none'; sandbox");
  EXPECT_TRUE(header(answer, "Content-Disposition").starts_with("attachment;"));
  EXPECT_EQ(header(answer, "Content-Length"), "8");
}

TEST_F(RestFiles, GivesPartsOfAFile) {
  files_.contents["file"] = "0123456789";
  const http::Response part = ask("GET", "path=file&content=true", {{"Range", "bytes=2-4"}});
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(part.body, "234");
  EXPECT_EQ(header(part, "Content-Range"), "bytes 2-4/10");
  EXPECT_EQ(ask("GET", "path=file&content=true", {{"Range", "bytes=10-"}}).status, 416);
  const std::vector<Header> other{{"Range", "bytes=2-4"}, {"If-Range", "\"old\""}};
  EXPECT_EQ(ask("GET", "path=file&content=true", other).body, "0123456789");
  EXPECT_EQ(ask("GET", "path=file&content=true", {{"If-None-Match", "\"tag-10\""}}).status, 304);
}

TEST_F(RestFiles, WritesAFile) {
  const http::Response answer = ask("PUT", "path=in/a.txt", {}, "hello");
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(files_.contents["in/a.txt"], "hello");
  EXPECT_EQ(string_at(body_of(answer), "tag"), "tag-5");
  ask("PUT", "path=a&overwrite=true", {{"Content-Length", "3"}}, "one");
  ask("PUT", "path=a", {{"If-Match", "\"t\""}}, "two");
  EXPECT_EQ(files_.asked,
            (std::vector<std::string>{"write data in/a.txt new  0", "write data a over  3",
                                      "write data a new t 0"}));
  EXPECT_EQ(ask("PUT", "path=a", {{"If-Match", "*"}}, "two").status, 400);
}

TEST_F(RestFiles, WritesFilesOfAMode) {
  EXPECT_EQ(ask("PUT", "path=a&mode=755", {}, "x").status, 200);
  EXPECT_EQ(ask("PUT", "path=a&overwrite=true&overwriteLinks=true", {}, "x").status, 200);
  EXPECT_EQ(files_.asked,
            (std::vector<std::string>{"write data a new  0 755", "write data a over links  0"}));
  for (const char* mode : {"4755", "8", "rwx", "-1"}) {
    EXPECT_EQ(ask("PUT", std::string("path=a&mode=") + mode, {}, "x").status, 400) << mode;
  }
}

TEST_F(RestFiles, MakesLinks) {
  EXPECT_EQ(ask("POST", "path=l&target=..%2Fx").status, 201);
  EXPECT_EQ(ask("POST", "path=l&target=y&overwrite=true").status, 201);
  EXPECT_EQ(files_.asked, (std::vector<std::string>{"link data l ../x new", "link data l y over"}));
}

TEST_F(RestFiles, MakesRenamesAndRemoves) {
  EXPECT_EQ(ask("POST", "path=new").status, 201);
  EXPECT_EQ(ask("PATCH", "path=new&to=%FF").status, 200);
  EXPECT_EQ(ask("PATCH", "path=new").status, 400);
  EXPECT_EQ(ask("DELETE", "path=new&recursive=true").status, 200);
  EXPECT_EQ(ask("DELETE", "path=new").status, 200);
  EXPECT_EQ(files_.asked, (std::vector<std::string>{"folder data new", "rename data new \xff",
                                                    "remove data new all", "remove data new one"}));
}

TEST_F(RestFiles, RefusesPathsThatLeadOut) {
  for (const char* path : {"..", "a/../../b", "%2E%2E/x"}) {
    EXPECT_EQ(ask("GET", std::string("path=") + path).status, 422) << path;
    EXPECT_EQ(ask("PATCH", std::string("path=a&to=") + path).status, 422) << path;
  }
  EXPECT_EQ(ask("GET", "path=a%00b").status, 400);
  EXPECT_TRUE(files_.asked.empty());
}

TEST_F(RestFiles, SaysWhatIsWrongInText) {
  const http::Response answer = ask("GET", "path=%FF&content=true");
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(string_at(body_of(answer), "message"), "\xef\xbf\xbd: nothing is there");
}

TEST_F(RestFiles, StreamsOnlyBodiesThatAreFiles) {
  const auto streamed = [](const char* method, const char* target) {
    return streams_files(make_request(method, target, "", {}));
  };
  EXPECT_TRUE(streamed("PUT", kFiles));
  EXPECT_FALSE(streamed("POST", kFiles));
  EXPECT_FALSE(streamed("PUT", "/api/v1/namespaces/default/pods/data/files"));
  EXPECT_FALSE(streamed("PUT", "/api/v1/namespaces/default/persistentvolumeclaims/data"));
}

}  // namespace
}  // namespace trainyard::server
