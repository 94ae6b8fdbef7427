#include "http/wire/message.h"

#include "http/wire.h"
#include "http/wire/parser.h"
#include "http/wire/url.h"

#include <gtest/gtest.h>

namespace trainyard::http {
namespace {

TEST(PercentDecode, DecodesWhatIsWellFormedAndKeepsTheRest) {
  const std::pair<const char*, const char*> cases[] = {
      {"", ""},         {"abc", "abc"},    {"a%20b", "a b"}, {"%2f%2F", "//"},
      {"%", "%"},       {"%4", "%4"},      {"%g1", "%g1"},   {"%1g", "%1g"},
      {"100%", "100%"}, {"%%41", "%A"},    {"a+b", "a+b"},   {"%E2%82%AC", "\xE2\x82\xAC"},
      {"%4%41", "%4A"}, {"x%zz%", "x%zz%"}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(percent_decode(text), expected) << text;
  EXPECT_EQ(percent_decode("%00"), std::string(1, '\0'));
}

TEST(PercentEncode, ComesBackAsItWas) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
  EXPECT_EQ(percent_decode(percent_encode(all)), all);
  EXPECT_EQ(percent_encode("a b/c~d"), "a%20b%2Fc~d");
}

TEST(Query, ReadsPairsInOrder) {
  const Query query("labelSelector=a%3Db%2Cc&&limit=5&=odd&empty=&limit=6&x=a+b&y=a=b");
  EXPECT_EQ(query.get("labelSelector"), "a=b,c");
  EXPECT_EQ(query.get("limit"), "5");
  EXPECT_EQ(query.get("empty"), "");
  EXPECT_EQ(query.get("x"), "a b");
  EXPECT_EQ(query.get("y"), "a=b");
  EXPECT_EQ(query.get(""), "odd");
  EXPECT_FALSE(query.find("absent"));
  EXPECT_EQ(query.all().size(), 7U);
}

TEST(Query, SurvivesMalformedText) {
  for (const char* text : {"", "&", "&&&", "=", "%", "%=%", "a=%g1", "a&%"}) {
    const Query query(text);
    EXPECT_LE(query.all().size(), 2U) << text;
  }
}

TEST(Query, FlagFollowsKubernetes) {
  const Query query("a&b=true&c=1&d=false&e=0&f=False&g=");
  for (const char* name : {"a", "b", "c", "g"}) EXPECT_TRUE(query.flag(name)) << name;
  for (const char* name : {"d", "e", "f", "absent"}) EXPECT_FALSE(query.flag(name)) << name;
}

TEST(Headers, CompareWithoutCase) {
  Headers headers{{"Content-Type", "a"}};
  headers.add("content-type", "b");
  EXPECT_EQ(headers.find("CONTENT-TYPE"), "a");
  EXPECT_FALSE(headers.find("Content-Typ"));
}

Request parse(const std::string& text) {
  RequestParser parser(1000);
  boost::system::error_code failure;
  parser.put(boost::asio::const_buffer(text.data(), text.size()), failure);
  EXPECT_FALSE(failure) << failure.message();
  EXPECT_TRUE(parser.is_done());
  return parser.take();
}

TEST(RequestParser, SplitsTheTarget) {
  struct Case {
    const char* target;
    const char* path;
    const char* query_a;
  };
  const Case cases[] = {{"/", "/", ""},
                        {"/api/v1/pods?a=1", "/api/v1/pods", "1"},
                        {"/x%20y?a=%3F", "/x y", "?"},
                        {"/?a=http://h/", "/", "http://h/"},
                        {"http://host:80/p?a=1", "/p", "1"},
                        {"http://host", "/", ""},
                        {"*", "*", ""},
                        {"/a%", "/a%", ""}};
  for (const Case& c : cases) {
    const Request request = parse(std::string("GET ") + c.target + " HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_EQ(request.target, c.target);
    EXPECT_EQ(request.path, c.path);
    EXPECT_EQ(request.query.get("a"), c.query_a);
  }
}

TEST(RequestParser, ReadsChunkedBodies) {
  const Request request = parse(
      "PATCH /p HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n2;ext=1\r\nde\r\n0\r\n\r\n");
  EXPECT_EQ(request.method, "PATCH");
  EXPECT_EQ(request.body, "abcde");
}

TEST(RequestParser, ReadsAnEmptyChunkedBodyThatArrivesByteByByte) {
  const std::string wire = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
  RequestParser parser(1024);
  std::string waiting;
  for (const char byte : wire) {
    ASSERT_FALSE(parser.is_done());
    waiting += byte;
    boost::beast::error_code failure;
    waiting.erase(0, parser.put(boost::asio::buffer(waiting), failure));
    ASSERT_TRUE(!failure || failure == boost::beast::http::error::need_more) << failure.message();
  }
  EXPECT_TRUE(parser.is_done());
}

TEST(Wire, LineBreaksCannotStartAHeader) {
  std::string out;
  append_field(out, "A", "b\r\nC: d");
  EXPECT_EQ(out, "A: b  C: d\r\n");
}

TEST(Wire, ChunksCarryTheirSizeInHex) {
  std::string out;
  append_chunk(out, std::string(26, 'x'));
  EXPECT_EQ(out, "1a\r\n" + std::string(26, 'x') + "\r\n");
}

TEST(ServerUrl, ReadsItsParts) {
  struct Case {
    const char* url;
    bool tls;
    const char* host;
    const char* port;
    const char* prefix;
  };
  const Case cases[] = {{"https://127.0.0.1:6480", true, "127.0.0.1", "6480", ""},
                        {"http://localhost/", false, "localhost", "80", ""},
                        {"https://[::1]:6480", true, "::1", "6480", ""},
                        {"https://[::1]", true, "::1", "443", ""},
                        {"https://proxy/k8s/c-1/?x", true, "proxy", "443", "/k8s/c-1"}};
  for (const Case& c : cases) {
    const Result<ServerAddress> address = parse_server_url(c.url);
    ASSERT_TRUE(address) << c.url;
    EXPECT_EQ(address->tls, c.tls) << c.url;
    EXPECT_EQ(address->host, c.host) << c.url;
    EXPECT_EQ(address->port, c.port) << c.url;
    EXPECT_EQ(address->prefix, c.prefix) << c.url;
  }
  for (const char* url : {"", "127.0.0.1:80", "ftp://x", "https://", "https://:1", "https://h:",
                          "https://h:x", "https://h:99999", "https://[::1", "https://[::1]x"}) {
    EXPECT_TRUE(parse_server_url(url).failed_with(Code::kInvalid)) << url;
  }
}

}  // namespace
}  // namespace trainyard::http
