#pragma once

#include "base/fake_clock.h"
#include "base/task_group.h"
#include "base/test_loop.h"
#include "server/rest/rest.h"
#include "store/journal.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard::server {

/// The table of kinds, read once for all tests.
const KindTable& test_kinds();
KindPtr kind_of(const Resource& resource);

/// Keeps what a handler answers.
class FakeWriter final : public http::ResponseWriter {
 public:
  awaitable<Result<>> send(http::Response answer) override;
  awaitable<Result<>> start(int status, http::Headers headers) override;
  awaitable<Result<>> write(std::string chunk) override;
  awaitable<Result<>> finish() override;
  awaitable<Result<std::unique_ptr<http::WebSocket>>> upgrade(std::string subprotocol) override;
  bool answered() const override { return answered_; }

  http::Response response;  // of a stream: its body so far
  bool finished = false;
  std::function<awaitable<void>()> while_starting;  // what happens before start() returns

 private:
  bool answered_ = false;
};

/// Serves one log, and remembers what was asked for.
class FakeStreams final : public client::PodStreams {
 public:
  awaitable<Result<std::unique_ptr<client::ByteStream>>> open_log(
      Key pod, client::LogOptions options) override;
  awaitable<Result<std::vector<client::KeptLog>>> kept_logs(std::string ns) override;
  std::vector<client::KeptLog> kept;
  Result<> failure = Ok();  // instead of a log
  std::vector<std::string> pieces;
  Key asked_pod;
  client::LogOptions asked;
};

/// Has no containers; remembers what was asked for.
class FakeSessions final : public client::PodSessions {
 public:
  awaitable<Result<std::unique_ptr<client::PodSession>>> exec(
      Key pod, client::SessionOptions options, std::vector<std::string> command) override;
  awaitable<Result<std::unique_ptr<client::PodSession>>> attach(
      Key pod, client::SessionOptions options) override;
  awaitable<Result<>> check(Key pod, client::SessionOptions options, bool attach) override;
  Result<> found = Ok();  // what check() says
  client::SessionOptions asked;
  std::vector<std::string> command;
};

/// Every pod has one container, which uses a quarter of a CPU and 2 MiB; every node one CPU.
class FakeUsage final : public contract::UsageSource {
 public:
  awaitable<contract::Measured<contract::PodUsage>> measure_pods(
      std::vector<ObjectPtr> pods) override;
  awaitable<contract::Measured<contract::NodeUsage>> measure_nodes(
      std::vector<ObjectPtr> nodes) override;
  std::string idle;  // a pod of which nothing runs
};

/// One volume in memory, whose only folder is its root; remembers what was asked for.
class FakeFiles final : public client::VolumeFiles {
 public:
  awaitable<Result<client::FileView>> look(Key claim, std::string path,
                                           client::FolderRange range) override;
  awaitable<Result<std::unique_ptr<client::FileReader>>> open(Key claim, std::string path) override;
  awaitable<Result<FileFacts>> write(Key claim, std::string path, Replacing replacing,
                                     std::int64_t bytes, client::NextPart next) override;
  awaitable<Result<FileFacts>> make_folder(Key claim, std::string path) override;
  awaitable<Result<FileFacts>> make_link(Key claim, std::string path, std::string target,
                                         bool replace) override;
  awaitable<Result<FileFacts>> rename(Key claim, std::string from, std::string to) override;
  awaitable<Result<>> remove(Key claim, std::string path, bool recursive) override;
  std::map<std::string, std::string> contents;  // by path
  std::vector<std::string> asked;
};

/// Says what it was told to, and remembers the question.
class FakeHistories final : public contract::UsageHistories {
 public:
  awaitable<contract::UsageAnswer> tell(contract::UsageQuestion question) override {
    asked = std::move(question);
    co_return answer;
  }
  contract::UsageAnswer answer;
  contract::UsageQuestion asked;
};

/// Says what it was told to, and remembers the question.
class FakeCurves final : public client::Curves {
 public:
  awaitable<Result<client::CurveAnswer>> tell(client::CurveQuestion question) override {
    asked = std::move(question);
    co_return answer;
  }
  client::CurveAnswer answer;
  std::optional<client::CurveQuestion> asked;
};

/// Every pod is one process that sleeps.
class FakeStacks final : public client::PodStacks {
 public:
  awaitable<Result<std::vector<client::ProcessStack>>> take_stacks(Key pod) override {
    std::vector<client::ProcessStack> stacks(1);
    stacks[0].container = "main";
    stacks[0].command = pod.name;
    stacks[0].waits = "sleeps";
    co_return stacks;
  }
};

/// Every pod is half done, as its log says; of each it asks where the event files are.
class FakeProgresses final : public contract::JobProgresses {
 public:
  awaitable<std::vector<contract::JobProgress>> tell_progress(
      std::vector<ObjectPtr> pods, contract::LogFoldersOfPod folders) override {
    std::vector<contract::JobProgress> told;
    for (const ObjectPtr& pod : pods) {
      told.push_back({pod, Json{{"share", 0.5}}});
      seen[std::string(name_of(pod->body()))] = folders(pod->body());
    }
    co_return told;
  }
  std::map<std::string, std::vector<contract::LogFolderSource>> seen;  // by the pod's name
};

/// Every revision up to this one was given out, and forgotten, before the test began.
inline constexpr std::int64_t kFirstRevision = 1000;

class OldJournal final : public store::Journal {
 public:
  Result<store::Contents> load() override;
  Result<> commit(const std::vector<store::Row>&) override { return Ok(); }
};

using Header = std::pair<std::string, std::string>;

/// The API with its real store in memory, a namespace `default`, and time that stands still.
class ServerTest : public testing::Test {
 protected:
  ServerTest();

  // The verbs, awaited.
  Result<ObjectPtr> create(const Resource& resource, Json object, WriteOptions options = {});
  Result<ObjectPtr> update(const Resource& resource, Json object, Part part = Part::kMain);
  Result<ObjectPtr> patch(const Resource& resource, const std::string& name, Json patch,
                          Part part = Part::kMain);
  Result<ObjectPtr> remove(const Resource& resource, const std::string& name,
                           DeleteRequest request = {});
  Json get(const Resource& resource, const std::string& name);

  /// One request by the administrator. `target` is a path with its query.
  http::Response call(const std::string& method, const std::string& target,
                      const std::string& body = "", std::vector<Header> headers = {});
  static http::Request make_request(const std::string& method, const std::string& target,
                                    const std::string& body, std::vector<Header> headers);

  TestLoop loop_;
  FakeClock clock_;
  OldJournal journal_;
  std::unique_ptr<store::Store> store_;
  KindTable kinds_;
  Verbs verbs_;
  TokenSigner signer_;
  Authenticator authenticator_;
  Rbac rbac_;
  Reviews reviews_;
  FakeStreams streams_;
  FakeSessions sessions_;
  FakeUsage usage_;
  FakeFiles files_;
  FakeHistories histories_;
  FakeCurves curves_;
  FakeStacks stacks_;
  FakeProgresses progresses_;
  RestHandler handler_;
};

/// The body of an answer; fails the test when it is not JSON.
Json body_of(const http::Response& response);

/// A pod that is valid.
Json make_pod(const std::string& name, JsonObject labels = {});
Json make_config_map(const std::string& name, JsonObject labels = {});
/// A job that is valid.
Json make_job(const std::string& name);

}  // namespace trainyard::server
