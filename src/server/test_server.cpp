#include "server/test_server.h"

#include <fmt/format.h>

namespace trainyard::server {
namespace {

class PieceStream final : public client::ByteStream {
 public:
  explicit PieceStream(std::vector<std::string> pieces) : pieces_(std::move(pieces)) {}
  awaitable<Result<std::string>> read() override {
    if (next_ == pieces_.size()) co_return std::string();
    co_return pieces_[next_++];
  }

 private:
  std::vector<std::string> pieces_;
  std::size_t next_ = 0;
};

std::unique_ptr<store::Store> open_store(const Executor& loop, Clock& clock,
                                         store::Journal& journal) {
  auto opened = store::Store::open(loop, clock, journal);
  EXPECT_TRUE(opened);
  return *std::move(opened);
}

}  // namespace

const KindTable& test_kinds() {
  static const Result<KindTable> kTable = KindTable::load();
  EXPECT_TRUE(kTable) << kTable.error().message();
  return *kTable;
}

KindPtr kind_of(const Resource& resource) {
  KindPtr kind = test_kinds().find(resource);
  EXPECT_NE(kind, nullptr) << resource.plural;
  return kind;
}

awaitable<Result<>> FakeWriter::send(http::Response answer) {
  answered_ = true;
  finished = true;
  response = std::move(answer);
  co_return Ok();
}

awaitable<Result<>> FakeWriter::start(int status, http::Headers headers) {
  answered_ = true;
  response.status = status;
  response.headers = std::move(headers);
  if (while_starting) co_await while_starting();
  co_return Ok();
}

awaitable<Result<>> FakeWriter::write(std::string chunk) {
  response.body += chunk;
  co_return Ok();
}

awaitable<Result<>> FakeWriter::finish() {
  finished = true;
  co_return Ok();
}

awaitable<Result<std::unique_ptr<http::WebSocket>>> FakeWriter::upgrade(std::string) {
  co_return Error(Code::kUnsupported, "no WebSocket in this test");
}

awaitable<Result<std::unique_ptr<client::ByteStream>>> FakeStreams::open_log(
    Key pod, client::LogOptions options) {
  asked_pod = std::move(pod);
  asked = std::move(options);
  if (!failure) co_return failure.error();
  std::unique_ptr<client::ByteStream> stream = std::make_unique<PieceStream>(pieces);
  co_return stream;
}

awaitable<Result<std::vector<client::KeptLog>>> FakeStreams::kept_logs(std::string) {
  co_return kept;
}

awaitable<Result<std::unique_ptr<client::PodSession>>> FakeSessions::exec(
    Key, client::SessionOptions options, std::vector<std::string> words) {
  asked = std::move(options);
  command = std::move(words);
  co_return Error(Code::kUnavailable, "nothing runs in this test");
}

awaitable<Result<std::unique_ptr<client::PodSession>>> FakeSessions::attach(
    Key, client::SessionOptions options) {
  asked = std::move(options);
  co_return Error(Code::kUnavailable, "nothing runs in this test");
}

awaitable<Result<>> FakeSessions::check(Key, client::SessionOptions, bool) {
  co_return found;
}

namespace {

FileFacts fake_facts(const std::string& path, std::size_t bytes, FileType type = FileType::kFile) {
  FileFacts facts;
  facts.name = path;
  facts.type = type;
  facts.bytes = static_cast<std::int64_t>(bytes);
  facts.mode = 0644;
  facts.tag = fmt::format("tag-{}", bytes);
  return facts;
}

class FakeReader final : public client::FileReader {
 public:
  FakeReader(FileFacts facts, std::string content)
      : facts_(std::move(facts)), content_(std::move(content)) {}
  const FileFacts& facts() const override { return facts_; }
  awaitable<Result<std::string>> read(std::int64_t offset, std::size_t size) override {
    co_return content_.substr(static_cast<std::size_t>(offset), size);
  }

 private:
  FileFacts facts_;
  std::string content_;
};

}  // namespace

awaitable<Result<client::FileView>> FakeFiles::look(Key claim, std::string path,
                                                    client::FolderRange range) {
  asked.push_back(fmt::format("look {} {} {} {}", claim.name, path, range.after, range.limit));
  client::FileView view;
  view.facts = fake_facts(path, 0, FileType::kFolder);
  for (const auto& [name, content] : contents) {
    view.folder.entries.push_back(fake_facts(name, content.size()));
  }
  view.folder.total = contents.size();
  co_return view;
}

awaitable<Result<std::unique_ptr<client::FileReader>>> FakeFiles::open(Key, std::string path) {
  const auto found = contents.find(path);
  if (found == contents.end()) co_return Error(Code::kNotFound, path + ": nothing is there");
  std::unique_ptr<client::FileReader> reader =
      std::make_unique<FakeReader>(fake_facts(path, found->second.size()), found->second);
  co_return reader;
}

awaitable<Result<FileFacts>> FakeFiles::write(Key claim, std::string path, Replacing replacing,
                                              std::int64_t bytes, client::NextPart next) {
  asked.push_back(fmt::format("write {} {} {} {} {}{}", claim.name, path,
                              replacing.links     ? "over links"
                              : replacing.allowed ? "over"
                                                  : "new",
                              replacing.only_with, bytes,
                              replacing.mode ? fmt::format(" {:o}", *replacing.mode) : ""));
  std::string content;
  for (;;) {
    CO_TRY(const std::string part, co_await next());
    if (part.empty()) break;
    content += part;
  }
  contents[path] = content;
  co_return fake_facts(path, content.size());
}

awaitable<Result<FileFacts>> FakeFiles::make_link(Key claim, std::string path, std::string target,
                                                  bool replace) {
  asked.push_back(
      fmt::format("link {} {} {} {}", claim.name, path, target, replace ? "over" : "new"));
  co_return fake_facts(path, 0, FileType::kLink);
}

awaitable<Result<FileFacts>> FakeFiles::make_folder(Key claim, std::string path) {
  asked.push_back(fmt::format("folder {} {}", claim.name, path));
  co_return fake_facts(path, 0, FileType::kFolder);
}

awaitable<Result<FileFacts>> FakeFiles::rename(Key claim, std::string from, std::string to) {
  asked.push_back(fmt::format("rename {} {} {}", claim.name, from, to));
  co_return fake_facts(to, 0);
}

awaitable<Result<>> FakeFiles::remove(Key claim, std::string path, bool recursive) {
  asked.push_back(fmt::format("remove {} {} {}", claim.name, path, recursive ? "all" : "one"));
  co_return Ok();
}

awaitable<contract::Measured<contract::PodUsage>> FakeUsage::measure_pods(
    std::vector<ObjectPtr> pods) {
  contract::Measured<contract::PodUsage> measured;
  measured.window = std::chrono::milliseconds(500);
  for (const ObjectPtr& pod : pods) {
    if (name_of(pod->body()) == idle) continue;
    contract::PodUsage one;
    one.pod = pod;
    one.containers.push_back({"main", {250'000'000, 2 << 20, 100, 200, 300, 400}});
    measured.items.push_back(std::move(one));
  }
  co_return measured;
}

awaitable<contract::Measured<contract::NodeUsage>> FakeUsage::measure_nodes(
    std::vector<ObjectPtr> nodes) {
  contract::Measured<contract::NodeUsage> measured;
  for (const ObjectPtr& node : nodes) {
    contract::NodeUsage one;
    one.node = node;
    one.usage.cpu_nanos = 1'000'000'000;
    one.usage.memory_bytes = 1 << 30;
    measured.items.push_back(std::move(one));
  }
  co_return measured;
}

Result<store::Contents> OldJournal::load() {
  store::Contents contents;
  contents.revision = kFirstRevision;
  return contents;
}

ServerTest::ServerTest()
    : clock_(loop_.executor()),
      store_(open_store(loop_.executor(), clock_, journal_)),
      kinds_(test_kinds()),
      verbs_(*store_, kinds_, clock_),
      signer_(*TokenSigner::make()),
      authenticator_("secret", *store_, signer_, clock_),
      rbac_(*store_),
      reviews_(*store_, rbac_, authenticator_, signer_, clock_),
      handler_({verbs_, authenticator_, rbac_, reviews_, streams_, sessions_, usage_, histories_,
                files_, curves_, stacks_, progresses_}) {
  Json ns{{"metadata", {{"name", "default"}}}};
  WriteOptions options;
  const auto made = loop_.run(verbs_.create(kind_of(kNamespaces), "", std::move(ns), options));
  EXPECT_TRUE(made);
}

Result<ObjectPtr> ServerTest::create(const Resource& resource, Json object, WriteOptions options) {
  const KindPtr kind = kind_of(resource);
  return loop_.run(
      verbs_.create(kind, kind->namespaced ? "default" : "", std::move(object), options));
}

Result<ObjectPtr> ServerTest::update(const Resource& resource, Json object, Part part) {
  const Key key{"default", std::string(name_of(object))};
  return loop_.run(verbs_.update(kind_of(resource), key, std::move(object), part, {}));
}

Result<ObjectPtr> ServerTest::patch(const Resource& resource, const std::string& name, Json patch,
                                    Part part) {
  const Key key{"default", name};
  return loop_.run(
      verbs_.patch(kind_of(resource), key, client::PatchType::kMerge, std::move(patch), part, {}));
}

Result<ObjectPtr> ServerTest::remove(const Resource& resource, const std::string& name,
                                     DeleteRequest request) {
  const Key key{"default", name};
  return loop_.run(verbs_.remove(kind_of(resource), key, std::move(request)));
}

Json ServerTest::get(const Resource& resource, const std::string& name) {
  const auto found = verbs_.get(*kind_of(resource), {"default", name});
  EXPECT_TRUE(found) << name;
  return found ? (*found)->body() : Json();
}

http::Request ServerTest::make_request(const std::string& method, const std::string& target,
                                       const std::string& body, std::vector<Header> headers) {
  http::Request request;
  request.method = method;
  request.target = target;
  const std::size_t mark = target.find('?');
  request.path = http::percent_decode(target.substr(0, mark));
  if (mark != std::string::npos) request.query = http::Query(target.substr(mark + 1));
  for (Header& header : headers) request.headers.add(std::move(header.first), header.second);
  if (!request.headers.find("Authorization")) {
    request.headers.add("Authorization", "Bearer secret");
  }
  request.body = body;
  return request;
}

http::Response ServerTest::call(const std::string& method, const std::string& target,
                                const std::string& body, std::vector<Header> headers) {
  FakeWriter writer;
  loop_.run(handler_.handle(make_request(method, target, body, std::move(headers)), writer));
  EXPECT_TRUE(writer.finished) << method << " " << target;
  return writer.response;
}

Json body_of(const http::Response& response) {
  auto parsed = parse_json(response.body);
  EXPECT_TRUE(parsed) << response.body;
  return parsed ? *std::move(parsed) : Json();
}

Json make_pod(const std::string& name, JsonObject labels) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", name}, {"labels", std::move(labels)}}},
          {"spec", {{"containers", {{{"name", "main"}, {"image", "busybox"}}}}}}};
}

Json make_config_map(const std::string& name, JsonObject labels) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", name}, {"labels", std::move(labels)}}},
          {"data", {{"key", "value"}}}};
}

Json make_job(const std::string& name) {
  Json spec{{"containers", JsonArray{{{"name", "main"}, {"image", "torch"}}}}};
  Json group{{"type", "worker"}, {"template", {{"spec", std::move(spec)}}}};
  return {{"apiVersion", "batch.tensorstack.dev/v1beta1"},
          {"kind", "PyTorchTrainingJob"},
          {"metadata", {{"name", name}}},
          {"spec", {{"replicaSpecs", JsonArray{std::move(group)}}}}};
}

}  // namespace trainyard::server
