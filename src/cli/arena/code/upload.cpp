#include "cli/arena/code/upload.h"

#include "base/crypto/ids.h"
#include "base/files/files.h"
#include "cli/arena/code/code_tree.h"
#include "cli/terminal/progress_bar.h"

#include <fmt/format.h>

#include <set>

namespace trainyard::cli::arena {
namespace {

constexpr const char* kSize = "10Gi";
constexpr int kTriesToBind = 50;
constexpr std::chrono::milliseconds kBetweenTries{100};

Json make_claim(const std::string& name) {
  return {
      {"apiVersion", "v1"},
      {"kind", "PersistentVolumeClaim"},
      {"metadata", {{"name", name}, {"annotations", {{"description", "code of Arena's jobs"}}}}},
      {"spec",
       {{"accessModes", JsonArray{"ReadWriteMany"}},
        {"resources", {{"requests", {{"storage", kSize}}}}}}}};
}

/// The files of a volume, through the server.
class VolumeDoor {
 public:
  VolumeDoor(Session& session, const Key& claim)
      : session_(session),
        client_(session.loop(), session.server()),
        path_(client::resource_path(kVolumeClaims, claim, "files")) {}

  /// kNotFound: there is no such folder.
  Result<std::set<std::string>> list(const std::string& folder) {
    std::set<std::string> names;
    std::string after;
    while (true) {
      TRY(const Json page, ask("GET", fmt::format("?path={}&after={}", folder, after), ""));
      const JsonArray& entries = array_at(page, "entries");
      for (const Json& entry : entries) {
        after = string_at(entry, "name");
        names.insert(after);
      }
      const auto total = static_cast<std::size_t>(int_at(page, "total"));
      if (entries.empty() || names.size() >= total) return names;
    }
  }
  Result<> make_folder(const std::string& folder) {
    const auto made = ask("POST", "?path=" + folder, "");
    if (made || made.failed_with(Code::kAlreadyExists)) return Ok();
    return made.error();
  }
  Result<> write(const std::string& path, std::string content) {
    TRY_OK(ask("PUT", fmt::format("?path={}&overwrite=true", path), std::move(content)));
    return Ok();
  }

 private:
  Result<Json> ask(const char* method, const std::string& query, std::string body) {
    http::ClientRequest request;
    request.method = method;
    request.target = path_ + query;
    if (!session_.token().empty()) {
      request.headers.add("Authorization", "Bearer " + session_.token());
    }
    request.headers.add("Content-Type", "application/octet-stream");
    request.body = std::move(body);
    TRY(const http::Response response, session_.run(client_.request(std::move(request))));
    auto answer = parse_json(response.body);
    if (response.status < 300) return answer;
    const Code code = response.status == 404   ? Code::kNotFound
                      : response.status == 409 ? Code::kAlreadyExists
                                               : Code::kUnavailable;
    const std::string fallback =
        fmt::format("the server answered with HTTP status {}", response.status);
    return Error(code, answer ? std::string(string_at(*answer, "message", fallback)) : fallback);
  }

  Session& session_;
  http::Client client_;
  std::string path_;
};

awaitable<Result<>> wait_a_moment(Clock& clock) {
  co_await clock.sleep_for(kBetweenTries);
  co_return Ok();
}

/// Waits for the volume of a claim that has just been made.
Result<> wait_bound(Session& session, const Key& claim) {
  for (int tries = 0; tries < kTriesToBind; ++tries) {
    TRY(const ObjectPtr found, session.run(session.api().get(kVolumeClaims, claim)));
    if (string_at(found->body(), "status.phase") == "Bound") return Ok();
    TRY_OK(session.run(wait_a_moment(session.clock())));
  }
  return Error(Code::kUnavailable,
               fmt::format("the volume {} is not there yet: try again in a moment", claim.name));
}

}  // namespace

Result<std::string> upload_code(Context& context, const std::string& folder,
                                const std::string& claim_name) {
  TRY(const std::vector<CodeFile> files, read_code_tree(folder));
  TRY(Session* const session, context.session());
  const Key claim{context.ns(), claim_name};
  const auto found = session->run(session->api().get(kVolumeClaims, claim));
  if (found.failed_with(Code::kNotFound)) {
    TRY_OK(session->run(session->api().create(kVolumeClaims, claim.ns, make_claim(claim_name))));
  }
  TRY_OK(wait_bound(*session, claim));
  VolumeDoor door(*session, claim);
  auto there = door.list(kCodeFiles);
  if (there.failed_with(Code::kNotFound)) {
    TRY_OK(door.make_folder(kCodeFiles));
    TRY_OK(door.make_folder(kCodeListings));
    there = std::set<std::string>();
  }
  if (!there) return std::move(there).error();
  std::size_t sent = 0;
  ProgressBar bar("uploading", [&] { return bytes_to_send(files, *there); });
  for (const CodeFile& file : files) {
    if (!there->insert(file.hash).second) continue;
    TRY(std::string content, read_file(std::filesystem::path(folder) / file.path));
    if (sha256_hex(content) != file.hash) {
      return Error(Code::kConflict,
                   fmt::format("{} has changed just now: submit again", file.path));
    }
    TRY_OK(door.write(fmt::format("{}/{}", kCodeFiles, file.hash), std::move(content)));
    bar.add(file.bytes);
    ++sent;
  }
  bar.clear();
  const std::string listing = code_listing(files);
  std::string hash = sha256_hex(listing);
  TRY_OK(door.write(fmt::format("{}/{}", kCodeListings, hash), listing));
  context.log().info(fmt::format("{} of {} files of {} were new and have been uploaded", sent,
                                 files.size(), folder));
  return hash;
}

}  // namespace trainyard::cli::arena
