#include "client/remote/remote_volume_files.h"

#include "base/test_loop.h"
#include "http/server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace trainyard::client {
namespace {

/// Keeps what is asked, with its body, and answers as told.
class Door final : public http::Handler {
 public:
  awaitable<void> handle(http::Request request, http::ResponseWriter& writer) override {
    std::string body = request.body;
    for (;;) {
      const auto part = co_await writer.read_body();
      if (!part || part->empty()) break;
      body += *part;
    }
    asked.push_back(request.method + " " + request.target + " " + std::to_string(body.size()));
    http::Response response;
    response.status = status;
    response.body = request.query.flag("content")
                        ? content.substr(request.headers.find("Range") ? 2 : 0)
                        : answer;
    (void)co_await writer.send(std::move(response));
  }
  std::vector<std::string> asked;
  int status = 200;
  std::string answer = R"({"name":"f","encoded":"%FF","type":"file","bytes":5,"mode":"0755",
      "owner":"7:8","tag":"t"})";
  std::string content = "hello";
};

class RemoteVolumeFilesTest : public testing::Test {
 protected:
  RemoteVolumeFilesTest() {
    http::ServerOptions options;
    options.address = "127.0.0.1";
    options.streams_body = [](const http::Request& head) { return head.method == "PUT"; };
    server_ = std::make_unique<http::Server>(loop_.executor(), clock_, options, door_);
    EXPECT_TRUE(server_->listen());
    server_->start();
    Connection connection;
    connection.http.url = fmt::format("http://127.0.0.1:{}", server_->port());
    api_ = std::make_unique<RemoteApi>(loop_.executor(), std::move(connection));
    files_ = std::make_unique<RemoteVolumeFiles>(*api_);
  }
  ~RemoteVolumeFilesTest() override { loop_.run(server_->stop()); }
  awaitable<Result<std::string>> take_part() {
    if (left_ == 0) co_return std::string();
    --left_;
    co_return std::string(1 << 19, 'x');
  }
  Result<FileFacts> written(int parts, Replacing replacing) {
    left_ = parts;
    return loop_.run(files_->write(claim_, "a b", std::move(replacing), std::int64_t{parts} << 19,
                                   [this] { return take_part(); }));
  }

  TestLoop loop_;
  SystemClock clock_;
  Door door_;
  int left_ = 0;
  std::unique_ptr<http::Server> server_;
  std::unique_ptr<RemoteApi> api_;
  std::unique_ptr<RemoteVolumeFiles> files_;
  const Key claim_{"ns", "data"};
};

constexpr const char* kBase = "/api/v1/namespaces/ns/persistentvolumeclaims/data/files?path=";

TEST_F(RemoteVolumeFilesTest, WritesSmallFilesAtOnceAndLargeOnesInParts) {
  const auto small = written(1, Replacing{true, "", 0640});
  ASSERT_TRUE(small) << small.error().message();
  EXPECT_EQ(small->name, "\xff");
  EXPECT_EQ(small->mode, 0755U);
  EXPECT_EQ(small->gid, 8U);
  const auto large = written(5, {});
  ASSERT_TRUE(large) << large.error().message();
  EXPECT_EQ(door_.asked[0], fmt::format("PUT {}a%20b&overwrite=true&mode=640 {}", kBase, 1 << 19));
  EXPECT_EQ(door_.asked[1], fmt::format("PUT {}a%20b {}", kBase, 5 << 19));
}

TEST_F(RemoteVolumeFilesTest, TellsTheServersErrors) {
  door_.status = 404;
  door_.answer = R"({"kind":"Status","reason":"NotFound","message":"x: nothing is there"})";
  const auto looked = loop_.run(files_->look(claim_, "x", {}));
  ASSERT_TRUE(looked.failed_with(Code::kNotFound));
  EXPECT_EQ(looked.error().message(), "x: nothing is there");
  EXPECT_TRUE(written(5, {}).failed_with(Code::kNotFound));
}

TEST_F(RemoteVolumeFilesTest, ReadsOnWithoutAskingAgain) {
  door_.answer = R"({"file":{"encoded":"f","type":"file","bytes":5}})";
  const auto file = loop_.run(files_->open(claim_, "f"));
  ASSERT_TRUE(file);
  EXPECT_EQ(*loop_.run((*file)->read(0, 2)), "he");
  EXPECT_EQ(*loop_.run((*file)->read(2, 9)), "llo");
  EXPECT_EQ(*loop_.run((*file)->read(5, 9)), "");
  EXPECT_EQ(door_.asked.size(), 2U) << "a look, and the content";
  EXPECT_EQ(*loop_.run((*file)->read(2, 9)), "llo") << "from there on";
}

TEST_F(RemoteVolumeFilesTest, AsksForAllElse) {
  ASSERT_TRUE(loop_.run(files_->make_folder(claim_, "d")));
  ASSERT_TRUE(loop_.run(files_->make_link(claim_, "l", "../x", true)));
  ASSERT_TRUE(loop_.run(files_->rename(claim_, "d", "e")));
  ASSERT_TRUE(loop_.run(files_->remove(claim_, "e", true)));
  ASSERT_TRUE(loop_.run(files_->look(claim_, "", FolderRange{"a&b", 3})));
  EXPECT_EQ(door_.asked[0], fmt::format("POST {}d 0", kBase));
  EXPECT_EQ(door_.asked[1], fmt::format("POST {}l&target=..%2Fx&overwrite=true 0", kBase));
  EXPECT_EQ(door_.asked[2], fmt::format("PATCH {}d&to=e 0", kBase));
  EXPECT_EQ(door_.asked[3], fmt::format("DELETE {}e&recursive=true 0", kBase));
  EXPECT_EQ(door_.asked[4], fmt::format("GET {}&limit=3&after=a%26b 0", kBase));
}

}  // namespace
}  // namespace trainyard::client
