// A real HTTP server in a private network, under the real shim. Needs root, as namespaces do here.
#include "node/sessions/container_ports.h"

#include "base/fake_clock.h"
#include "base/files/test_folder.h"
#include "base/test_loop.h"
#include "client/fake_api.h"
#include "http/client.h"
#include "node/network/network_places.h"
#include "node/run/container_run.h"

#include <gtest/gtest.h>

#include <fstream>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;

constexpr std::uint16_t kPort = 8888;

class ContainerPortsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root may make the shim's namespaces";
    ::signal(SIGCHLD, SIG_IGN);
    ::signal(SIGPIPE, SIG_IGN);
    std::filesystem::create_directory(folder_.path() / "site");
    std::ofstream(folder_.path() / "site" / "page") << "a page from inside\n";
    RunSpec spec;
    spec.command = {"/usr/bin/python3",    "-m",          "http.server",
                    std::to_string(kPort), "--directory", folder_.path() / "site"};
    spec.environment = {{"PATH", "/usr/bin:/bin"}};
    spec.working_dir = "/";
    spec.hostname = "app";
    spec.overlay = folder_.path() / "overlay";
    spec.own_network = true;
    ASSERT_TRUE(run().start(spec));
    while (run().state().phase == RunState::Phase::kStarting) ::usleep(1000);
    put_pod("Running");
  }
  void TearDown() override {
    if (::geteuid() != 0) return;
    run().stop(0);
    while (!run().state().has_ended()) ::usleep(1000);
  }

  static NodeConfig make_config(const std::filesystem::path& data_dir) {
    NodeConfig config;
    config.data_dir = data_dir;
    config.shim = TRAINYARD_SHIM;
    return config;
  }
  ContainerRun run() { return {Paths(config_.data_dir).run("u-1", "main", 0), config_.shim}; }
  void put_pod(const std::string& phase) {
    Json pod{{"metadata",
              {{"name", "app"},
               {"namespace", "demo"},
               {"uid", "u-1"},
               {"annotations", {{kNetworkAnnotation, "private"}}}}},
             {"spec", {{"containers", JsonArray{{{"name", "main"}}}}}},
             {"status", {{"phase", phase}, {"podIP", "127.64.1.1"}}}};
    api_.put(kPods, std::move(pod));
  }
  /// What a proxy would do.
  Result<http::Response> get(const std::string& target) {
    http::ClientOptions options;
    options.url = "http://app.demo";
    options.dial = [this] { return ports_.connect(Key{"demo", "app"}, kPort); };
    http::Client client(loop_.executor(), options);
    http::ClientRequest request;
    request.target = target;
    return loop_.run(client.request(std::move(request)));
  }

  TestLoop loop_;
  SystemClock clock_;
  TestFolder folder_;
  NodeConfig config_ = make_config(folder_.path());
  client::FakeApi api_{loop_.executor(), clock_};
  ContainerPorts ports_{loop_.executor(), api_, clock_, config_};
};

TEST_F(ContainerPortsTest, TheServerReachesWhatNobodyElseDoes) {
  Result<http::Response> page = get("/page");
  for (int i = 0; i < 400 && !page; ++i) {  // Python takes a moment to listen
    ::usleep(20000);
    page = get("/page");
  }
  ASSERT_TRUE(page) << page.error().message();
  EXPECT_EQ(page->status, 200);
  EXPECT_EQ(page->body, "a page from inside\n");
  EXPECT_EQ(get("/none")->status, 404);
  for (const char* address : {"127.0.0.1", "127.64.1.1"}) {
    const auto outside = loop_.run(dial(loop_.executor(), clock_, address, kPort, 5s));
    EXPECT_TRUE(outside.failed_with(Code::kUnavailable)) << address;
  }
}

TEST_F(ContainerPortsTest, SaysWhyNobodyAnswers) {
  const auto refused = loop_.run(ports_.connect(Key{"demo", "app"}, 7));
  ASSERT_TRUE(refused.failed_with(Code::kUnavailable));
  EXPECT_EQ(refused.error().message(), "dial tcp 127.0.0.1:7: connect: connection refused");
  EXPECT_TRUE(loop_.run(ports_.connect(Key{"demo", "none"}, 7)).failed_with(Code::kNotFound));
  put_pod("Succeeded");
  const auto over = loop_.run(ports_.connect(Key{"demo", "app"}, kPort));
  ASSERT_TRUE(over.failed_with(Code::kBadRequest));
  EXPECT_EQ(over.error().message(), "pod \"app\" does not run: it is Succeeded");
}

class SocketFile {
 public:
  explicit SocketFile(const std::filesystem::path& path)
      : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.string().copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
              0);
    EXPECT_EQ(::listen(socket_.get(), 8), 0);
  }

 private:
  UniqueFd socket_;
};

TEST(DialFile, ReachesASocketHoweverLongItsPathIs) {
  const TestFolder folder;
  const SocketFile socket(folder.path() / "web.sock");
  EXPECT_TRUE(dial_file(folder.path(), "web.sock"));
  const std::filesystem::path deep = folder.path() / std::string(200, 'd');
  std::filesystem::create_directory(deep);
  std::filesystem::rename(folder.path() / "web.sock", deep / "web.sock");
  EXPECT_TRUE(dial_file(deep, "web.sock"));
}

TEST(DialFile, FollowsNoLinkAndOpensNothingElse) {
  const TestFolder folder;
  const SocketFile other(folder.path() / "other.sock");
  const std::filesystem::path volume = folder.path() / "volume";
  std::filesystem::create_directory(volume);
  std::filesystem::create_symlink(folder.path() / "other.sock", volume / "web.sock");
  EXPECT_TRUE(dial_file(volume, "web.sock").failed_with(Code::kUnavailable));
  std::filesystem::remove(volume / "web.sock");
  EXPECT_TRUE(dial_file(volume, "web.sock").failed_with(Code::kUnavailable)) << "nothing is there";
  std::ofstream(volume / "web.sock") << "a file";
  EXPECT_TRUE(dial_file(volume, "web.sock").failed_with(Code::kUnavailable));
  std::filesystem::create_directory_symlink(folder.path(), folder.path() / "link");
  EXPECT_TRUE(dial_file(folder.path() / "link", "other.sock").failed_with(Code::kUnavailable));
}

}  // namespace
}  // namespace trainyard::node
