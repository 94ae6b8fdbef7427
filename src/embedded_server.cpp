#include "embedded_server.h"

#include "base/crash_record.h"
#include "base/elsewhere.h"
#include "base/files/files.h"
#include "base/files/unique_fd.h"
#include "base/log.h"
#include "base/port_holder.h"
#include "base/task_group.h"
#include "client/remote/kubeconfig.h"
#include "console/apps_proxy.h"
#include "console/console.h"
#include "contract/image_map.h"
#include "crashes.h"
#include "flag_values.h"
#include "http/server.h"
#include "jobs/hooks/hook_options.h"
#include "jobs/hooks/job_hooks.h"
#include "jobs/job_controller.h"
#include "jobs/kinds.h"
#include "node/images/image_contents.h"
#include "node/logs/log_streams.h"
#include "node/node.h"
#include "node/port_keeper.h"
#include "node/sessions/container_ports.h"
#include "node/sessions/container_sessions.h"
#include "node/training/activity_watcher.h"
#include "node/training/curve_reader.h"
#include "node/training/progress_reader.h"
#include "node/usage/usage_meter.h"
#include "node/usage/usage_recorder.h"
#include "node/volumes/claim_files.h"
#include "scheduler/driver.h"
#include "server/admission/definitions.h"
#include "server/audit/audit_log.h"
#include "server/bootstrap.h"
#include "server/local_api.h"
#include "server/rest/rest.h"
#include "server/verbs/definition_cleaner.h"
#include "server_parent.h"
#include "start_settings.h"
#include "store/sqlite_journal.h"
#include "workloads/workloads.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <csignal>
#include <sys/resource.h>
#include <unistd.h>

namespace trainyard {
namespace {

namespace asio = boost::asio;

std::vector<workloads::ServedKind> served_kinds(const server::KindTable& kinds) {
  std::vector<workloads::ServedKind> served;
  for (const KindPtr& kind : kinds.all()) {
    // What cannot be listed owns nothing and need not be cleaned up.
    if (!kind->serves("list") || !kind->serves("delete")) continue;
    served.push_back(workloads::ServedKind{kind->resource, kind->kind, kind->namespaced});
  }
  return served;
}

/// A pod may take the server's ports while the server is gone: no reason not to run.
void warn_unkept(const Result<>& kept) {
  if (kept) return;
  log_warn("ports are not kept from pods while no server runs",
           {{"cause", kept.error().message()}});
}

/// Everything that runs in the process. Members are in the order of what they need.
class EmbeddedServer {
 public:
  EmbeddedServer(const cli::UpOptions& options, Executor loop, Clock& clock, store::Store& store,
                 server::KindTable& kinds, Identity identity, const server::TokenSigner& signer,
                 node::NodeConfig node_options, jobs::HookOptions hooks,
                 server::AuditLimits audit_limits, node::PortKeeper* keeper)
      : options_(options),
        loop_(loop),
        keeper_(keeper),
        clock_(clock),
        identity_(std::move(identity)),
        node_config_(std::move(node_options)),
        audit_(options.data_dir, audit_limits, clock_),
        verbs_(store, kinds, clock_),
        authenticator_(identity_.admin_token, store, signer, clock_),
        rbac_(store),
        reviews_(store, rbac_, authenticator_, signer, clock_),
        api_(verbs_, reviews_),
        kept_logs_(loop, removals_.get_executor(), node_config_.data_dir, clock_,
                   node_config_.kept_logs),
        logs_(loop, api_, clock_, node_config_, kept_logs_),
        sessions_(loop, api_, clock_, node_config_),
        pod_ports_(loop, api_, clock_, node_config_),
        cgroups_(node::Cgroups::open(node_config_.data_dir)),
        claim_files_(api_),
        curves_(loop, api_, clock_),
        usage_(api_, clock_, files_.get_executor(), node_config_, cgroups_),
        recorder_(loop, clock_, files_.get_executor(), node_config_, cgroups_,
                  std::make_shared<node::GpuMeter>()),
        activity_(loop, api_, clock_, files_.get_executor(), node_config_),
        progress_(clock_, files_.get_executor(), node_config_, curves_),
        rest_({verbs_, authenticator_, rbac_, reviews_, logs_, sessions_, usage_, recorder_,
               claim_files_, curves_, activity_, progress_}),
        definitions_(loop, verbs_),
        console_(loop, clock_, console_backend()),
        apps_(loop, clock_, apps_backend()),
        job_ports_(loop, api_, clock_, job_port_range(), job_resources()),
        job_children_(loop, api_, clock_, {kPods, kServices, kTensorBoards}),
        hooks_(loop, api_, clock_, std::move(hooks)),
        scheduler_(loop, api_, clock_, scheduling_rules(options)),
        workloads_(loop, api_, clock_, served_kinds(kinds), identity_.ca_pem),
        node_(loop, api_, clock_, node_config_, kept_logs_, cgroups_, recorder_, activity_),
        tasks_(loop) {
    rest_.set_more_metrics([this](monitor::MetricsText& metrics) { write_metrics(metrics); });
    rest_.set_login_links([this](server::User user, Json wanted) {
      return make_login_link(std::move(user), std::move(wanted));
    });
    rest_.set_audit(into_audit_log());
    for (const jobs::JobKind* kind : jobs::job_kinds()) {
      jobs_.push_back(std::make_unique<jobs::JobController>(loop, api_, clock_, *kind, job_ports_,
                                                            job_children_));
      jobs_.back()->add_listener(
          [this, resource = kind->resource()](const ObjectPtr& job, bool deleted) {
            hooks_.look(resource, job, deleted);
          });
    }
  }

  awaitable<Result<>> start() {
    CO_TRY(const Address api_address, parse_address(options_.listen, "--listen"));
    CO_TRY(const Address console_address, parse_local_address(options_.console, "--console"));
    CO_TRY(const Address apps_address, address_of_apps(console_address));
    CO_TRY(const contract::IdleLimits limits, idle_limits(options_));
    if (keeper_ != nullptr) {
      const auto wanted = [](const Address& a) { return node::ListenAddress{a.host, a.port}; };
      warn_unkept(
          keeper_->want({wanted(api_address), wanted(console_address), wanted(apps_address)}));
    }
    CO_TRY_OK(open_listeners(api_address, console_address));
    CO_TRY_OK(open_apps(apps_address));
    keep_listeners();
    console_.load_sessions();
    apps_.load_sessions();
    apps_.activity().set_limits(limits);
    workloads_.set_up_apps(apps_.url(), limits);
    CO_TRY_OK(verbs_.load_definitions());
    CO_TRY_OK(co_await server::bootstrap(verbs_));
    if (!tell_where()) tasks_.spawn("tell where", tell_later());
    if (const auto presented = co_await node_.present_nodes(); !presented) {
      log_error("nodes not registered yet", {{"cause", presented.error().message()}});
    }
    job_ports_.start();
    job_children_.start();
    hooks_.start();
    for (const auto& jobs : jobs_) jobs->start();
    scheduler_.start();
    workloads_.start();
    definitions_.start();
    node_.start();
    https_->start();
    console_http_->start();
    apps_http_->start();
    if (apps_http6_) apps_http6_->start();
    apps_.activity().start();
    co_return Ok();
  }

  awaitable<void> stop(bool with_pods) {
    co_await tasks_.stop();
    // Nobody may ask for, make or place anything any more when the pods are told to end.
    co_await apps_http_->stop();
    if (apps_http6_) co_await apps_http6_->stop();
    co_await apps_.activity().stop();
    co_await console_http_->stop();
    co_await https_->stop();
    co_await curves_.stop();
    for (const auto& jobs : jobs_) co_await jobs->stop();
    co_await hooks_.stop();
    co_await job_children_.stop();
    co_await job_ports_.stop();
    co_await scheduler_.stop();
    co_await workloads_.stop();
    co_await definitions_.stop();
    if (with_pods) co_await node_.stop_pods();
    co_await node_.stop();
    cli::clear_server_info(options_.data_dir);
  }

  std::string login_link() { return console_.make_login_link(visitor_of(server::admin_user())); }
  std::string api_url() const { return api_url_; }
  cli::ServerInfo info() const {
    return {::getpid(), api_url_, console_url_, apps_.url(), node_config_.path};
  }

 private:
  std::function<void(contract::AuditEntry)> into_audit_log() {
    return [this](contract::AuditEntry entry) { audit_.add(std::move(entry)); };
  }

  console::Backend console_backend() {
    return console::Backend{
        api_,
        logs_,
        [this](console::Visitor visitor, http::Request request, http::ResponseWriter& writer) {
          return rest_.handle_as(user_of(visitor), std::move(request), writer);
        },
        [this](console::Visitor visitor, console::AppAddress app) {
          return apps_.make_link(std::move(visitor), std::move(app));
        },
        [this](std::string person) { return apps_.log_out(std::move(person)); },
        [this](std::string image) { return look_into_image(std::move(image)); },
        files_.get_executor(),
        options_.data_dir / "sessions" / "console.json",
        into_audit_log()};
  }

  awaitable<Result<Json>> look_into_image(std::string image) {
    const auto maps = co_await api_.get(
        kConfigMaps, Key{contract::kImageMapsNamespace, contract::kImageMapsName});
    const auto map =
        maps ? contract::find_image_map(contract::read_image_maps((*maps)->body()), image)
             : std::nullopt;
    co_return co_await run_elsewhere(
        files_.get_executor(), [image, map, path = node_config_.path, home = node_config_.home] {
          const auto is_program = [](const std::filesystem::path& file) {
            return ::access(file.c_str(), X_OK) == 0;
          };
          auto environment = node::make_image_environment(image, map, path, is_program);
          environment.home = home;
          return Result<Json>(to_json(node::look_into(environment)));
        });
  }

  /// `wanted`: {"app": "/NAMESPACE/KIND/NAME"}; without an app, the console.
  awaitable<Result<std::string>> make_login_link(server::User user, Json wanted) {
    const std::string path(string_at(wanted, "app"));
    if (path.empty()) {
      // What the console shows, and does, it takes the administrator's rights for.
      if (!server::is_member(user, server::kMasters)) {
        co_return Error(Code::kForbidden,
                        fmt::format("user \"{}\" may not use the console, which is the "
                                    "administrator's: `trainyard open tensorboard NAME` and `open "
                                    "notebook NAME` lead to what you may use",
                                    user.name));
      }
      co_return console_.make_login_link(visitor_of(user));
    }
    const auto app = console::parse_app_target(path);
    if (!app) co_return Error(Code::kBadRequest, R"(send {"app": "/NAMESPACE/KIND/NAME"})");
    co_return co_await apps_.make_link(visitor_of(user), *app);
  }

  /// What the API does not know of itself.
  void write_metrics(monitor::MetricsText& metrics) const {
    using Type = monitor::MetricsText::Type;
    std::uintmax_t stored = 0;
    for (const char* file : {"store.db", "store.db-wal"}) {
      std::error_code missing;
      const std::uintmax_t size = std::filesystem::file_size(options_.data_dir / file, missing);
      if (!missing) stored += size;
    }
    metrics.one("apiserver_storage_size_bytes", Type::kGauge, "The store's files on disk.",
                static_cast<double>(stored));
    metrics.family("scheduler_pending_pods", Type::kGauge, "Pods that have no node yet.");
    metrics.sample({{"queue", "active"}}, static_cast<double>(scheduler_.pending_pods()));
    metrics.one("trainyard_audit_lines_lost_total", Type::kCounter,
                "Lines of the audit log that could not be written, or were too many at once.",
                static_cast<double>(audit_.lost()));
    node::write_usage(metrics, recorder_.totals());
  }

  static console::Visitor visitor_of(const server::User& user) {
    return console::Visitor{user.name, user.uid, user.groups, ""};
  }

  static server::User user_of(const console::Visitor& visitor) {
    return server::User{visitor.name, visitor.uid, visitor.groups, {}};
  }

  console::AppsBackend apps_backend() {
    return console::AppsBackend{
        api_,
        pod_ports_,
        [this](const console::Visitor& visitor, const console::AppRight& right) {
          const server::Access access{right.verb, right.resource, right.subresource, right.key, "",
                                      true};
          return rbac_.decide(user_of(visitor), access).allowed;
        },
        identity_.session_key,
        files_.get_executor(),
        options_.data_dir / "sessions" / "apps.json",
        into_audit_log()};
  }

  static scheduler::Rules scheduling_rules(const cli::UpOptions& options) {
    scheduler::Rules rules;
    rules.overcommit_memory = options.overcommit_memory;
    return rules;
  }

  static std::vector<Resource> job_resources() {
    std::vector<Resource> resources;
    for (const jobs::JobKind* kind : jobs::job_kinds()) resources.push_back(kind->resource());
    return resources;
  }

  static jobs::PortRange job_port_range() {
    jobs::PortRange ports;
    ports.usable = [](std::int64_t port) { return port_is_free(static_cast<std::uint16_t>(port)); };
    ports.claim = [](std::int64_t port) { return claim_port(static_cast<std::uint16_t>(port)); };
    return ports;
  }

  Result<> open_listeners(const Address& api_address, const Address& console_address) {
    http::ServerOptions api_options;
    api_options.address = api_address.host;
    api_options.port = api_address.port;
    api_options.listening = kept_socket(api_address);
    api_options.tls = identity_.tls;
    api_options.client_ca_pem = identity_.ca_pem;
    api_options.streams_body = server::streams_files;
    https_ = std::make_unique<http::Server>(loop_, clock_, api_options, rest_);
    if (auto bound = https_->listen(); !bound) {
      return Error(bound.error().code(),
                   bound.error().message() + ": choose another with --listen");
    }
    http::ServerOptions console_options;
    console_options.address = console_address.host;
    console_options.port = console_address.port;
    console_options.listening = kept_socket(console_address);
    console_options.streams_body = server::streams_files;
    console_http_ = std::make_unique<http::Server>(loop_, clock_, console_options, console_);
    if (auto bound = console_http_->listen(); !bound) {
      return Error(bound.error().code(),
                   bound.error().message() + ": choose another with --console");
    }
    api_url_ = fmt::format("https://{}:{}", api_address.host, https_->port());
    console_url_ = fmt::format("http://{}:{}", console_address.host, console_http_->port());
    console_.set_origin(console_address.host, console_http_->port());
    node_.set_api_address(api_address.host, https_->port());
    return Ok();
  }

  /// Beside the console unless said otherwise.
  Result<Address> address_of_apps(const Address& console_address) const {
    Address address = console_address;
    if (address.port != 0) ++address.port;
    if (!options_.apps.empty()) {
      TRY(address, parse_apps_address(options_.apps, "--apps"));
    }
    address.host = "127.0.0.1";
    return address;
  }

  /// -1: none has listened there before.
  int kept_socket(const Address& address) const {
    return keeper_ == nullptr ? -1 : keeper_->take({address.host, address.port}).release();
  }

  /// From pods, while no server is there.
  void keep_listeners() {
    if (keeper_ == nullptr) return;
    std::vector<int> listeners{https_->listener(), console_http_->listener(),
                               apps_http_->listener()};
    if (apps_http6_) listeners.push_back(apps_http6_->listener());
    warn_unkept(keeper_->keep(listeners));
  }

  Result<> open_apps(const Address& address) {
    http::ServerOptions options;
    options.address = address.host;
    options.port = address.port;
    options.listening = kept_socket(address);
    options.stream_bodies = true;
    apps_http_ = std::make_unique<http::Server>(loop_, clock_, options, apps_);
    if (auto bound = apps_http_->listen(); !bound) {
      return Error(bound.error().code(), bound.error().message() + ": choose another with --apps");
    }
    apps_.set_ports(apps_http_->port(), console_url_);
    return hold_apps_ipv6(options);
  }

  /// Browsers try ::1 first when they look for LABEL.localhost: whoever listened there would get
  /// what is meant for the app.
  Result<> hold_apps_ipv6(http::ServerOptions options) {
    options.address = "::1";
    options.port = apps_http_->port();
    options.listening = kept_socket({options.address, options.port});
    apps_http6_ = std::make_unique<http::Server>(loop_, clock_, options, apps_);
    const auto bound = apps_http6_->listen();
    if (bound) return Ok();
    apps_http6_.reset();
    if (bound.failed_with(Code::kUnsupported)) return Ok();  // nobody listens there
    return Error(bound.error().code(), bound.error().message() +
                                           ": browsers would take it for the apps; choose another "
                                           "with --apps");
  }

  std::filesystem::path kubeconfig_file() const { return options_.data_dir / "kubeconfig"; }

  Result<> write_kubeconfig() const {
    client::KubeconfigContents kubeconfig;
    kubeconfig.server_url = api_url_;
    kubeconfig.ca_pem = identity_.ca_pem;
    kubeconfig.user = "admin";
    kubeconfig.token = identity_.admin_token;
    const std::string text = client::make_kubeconfig(kubeconfig);
    if (read_file(kubeconfig_file()).value_or("") == text) return Ok();
    return write_file(kubeconfig_file(), text, 0600);
  }

  Result<> write_info() const { return cli::write_server_info(options_.data_dir, info()); }

  /// What cannot be written, as on a full disk, is told: the server is of use without it.
  bool tell_where() const {
    const Result<> kubeconfig = write_kubeconfig();
    const Result<> server = write_info();
    warn_untold(kubeconfig_file(), kubeconfig);
    warn_untold(options_.data_dir / "server.json", server);
    return kubeconfig && server;
  }

  static void warn_untold(const std::filesystem::path& file, const Result<>& written) {
    if (written) return;
    log_error("commands may not find this server before you free some space",
              {{"file", file.string()}, {"cause", written.error().message()}});
  }

  awaitable<void> tell_later() {
    constexpr auto kPause = std::chrono::seconds(1);
    do {
      co_await clock_.sleep_for(kPause);
    } while (!write_kubeconfig() || !write_info());
    log_info("commands find this server now");
  }

  const cli::UpOptions& options_;
  Executor loop_;
  node::PortKeeper* keeper_;
  Clock& clock_;
  Identity identity_;
  node::NodeConfig node_config_;
  server::AuditLog audit_;
  server::Verbs verbs_;
  server::Authenticator authenticator_;
  server::Rbac rbac_;
  server::Reviews reviews_;
  server::LocalApi api_;
  asio::thread_pool removals_{1};  // of logs that are kept no longer
  node::LogArchive kept_logs_;
  node::LogStreams logs_;
  node::ContainerSessions sessions_;
  node::ContainerPorts pod_ports_;
  node::Cgroups cgroups_;
  asio::thread_pool files_{1};  // where usage is read
  node::ClaimFiles claim_files_;
  node::CurveReader curves_;
  node::UsageMeter usage_;
  node::UsageRecorder recorder_;
  node::ActivityWatcher activity_;
  node::ProgressReader progress_;
  server::RestHandler rest_;
  server::DefinitionCleaner definitions_;
  console::Console console_;
  console::AppsProxy apps_;
  jobs::PortLeases job_ports_;  // of all job kinds
  jobs::OwnedObjects job_children_;
  jobs::JobHooks hooks_;                                    // told of when a job has ended
  std::vector<std::unique_ptr<jobs::JobController>> jobs_;  // one a job kind
  scheduler::Scheduler scheduler_;
  workloads::Workloads workloads_;
  node::Node node_;
  std::unique_ptr<http::Server> https_;
  std::unique_ptr<http::Server> console_http_;
  std::unique_ptr<http::Server> apps_http_;
  std::unique_ptr<http::Server> apps_http6_;  // null where the machine has no ::1
  std::string api_url_;
  std::string console_url_;
  TaskGroup tasks_;  // what is tried again
};

void prepare_process() {
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGCHLD, SIG_IGN);  // shims need no reaping
  struct rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;  // a watch or a pod each takes a few
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
}

void announce(const cli::UpOptions& options, EmbeddedServer& server) {
  if (options.ready_fd >= 0) {
    const std::string text = cli::text_of(server.info());
    [[maybe_unused]] const ssize_t told = ::write(options.ready_fd, text.data(), text.size());
    ::close(options.ready_fd);
    return;
  }
  if (options.again) return;
  fmt::print("API      {}\nconsole  {}\n", server.api_url(), server.login_link());
  if (options.fake_runtime) fmt::print("pods are only said to run (--fake-runtime)\n");
  std::fflush(stdout);
}

awaitable<Result<>> serve(const cli::UpOptions& options, EmbeddedServer& server,
                          asio::io_context& loop) {
  asio::signal_set signals(loop, SIGTERM, SIGINT, SIGUSR1);
  Result<> started = co_await server.start();
  if (!started) co_return started;
  announce(options, server);
  log_info("server ready", {{"api", server.api_url()}});
  const int signal = co_await signals.async_wait(asio::use_awaitable);
  log_info("server stops", {{"signal", signal}});
  co_await server.stop(signal == SIGUSR1);
  co_return Ok();
}

std::optional<node::PortKeeper> open_keeper(const cli::UpOptions& options,
                                            const std::filesystem::path& shim) {
  if (options.fake_runtime) return std::nullopt;
  auto keeper = node::PortKeeper::open(options.data_dir, shim);
  if (keeper) return *std::move(keeper);
  warn_unkept(std::move(keeper).error());
  return std::nullopt;
}

Result<> run_server(const cli::UpOptions& options) {
  TRY(const int lock_fd, cli::lock_data_dir(options.data_dir));
  const UniqueFd lock(lock_fd);
  crash_record::open(options.data_dir / "crashes");
  tell_of_crashes();
  TRY(const std::filesystem::path shim, unpack_shim(options.data_dir));
  TRY(node::NodeConfig node_options, node_config(options, shim));
  std::optional<node::PortKeeper> keeper = open_keeper(options, shim);
  if (keeper) node_options.life = keeper->life();
  TRY(const Address address, parse_address(options.listen, "--listen"));
  TRY(jobs::HookOptions hooks,
      jobs::read_hook_options(options.webhooks, options.on_job_end, options.data_dir));
  TRY(const server::AuditLimits audit, audit_limits(options));
  TRY(Identity identity, load_identity(options.data_dir, address.host));
  TRY(const server::TokenSigner signer,
      server::TokenSigner::open(options.data_dir / "pki" / "sa.key"));
  TRY(server::KindTable kinds, server::KindTable::load());
  asio::io_context loop(1);
  SystemClock clock;
  TRY(const std::unique_ptr<store::Journal> journal,
      store::open_sqlite_journal(options.data_dir / "store.db", {options.accept_loss}));
  TRY(const std::unique_ptr<store::Store> store,
      store::Store::open(loop.get_executor(), clock, *journal));
  EmbeddedServer server(options, loop.get_executor(), clock, *store, kinds, std::move(identity),
                        signer, std::move(node_options), std::move(hooks), audit,
                        keeper ? &*keeper : nullptr);
  Result<> outcome;
  bool ended = false;
  asio::co_spawn(loop, serve(options, server, loop),
                 [&](const std::exception_ptr& failure, Result<> result) {
                   if (failure) std::rethrow_exception(failure);
                   outcome = std::move(result);
                   ended = true;
                 });
  while (!ended) loop.run_one();
  return outcome;
}

}  // namespace

int run_embedded_server(const cli::UpOptions& options) {
  return run_under_parent(options, [](const cli::UpOptions& now) {
    prepare_process();
    const Result<> outcome = run_server(now);
    if (outcome) return 0;
    fmt::print(stderr, "trainyard: {}\n", outcome.error().message());
    return 1;
  });
}

}  // namespace trainyard
