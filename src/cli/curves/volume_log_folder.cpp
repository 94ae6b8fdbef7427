#include "cli/curves/volume_log_folder.h"

#include "client/claim_folder.h"
#include "http/wire/url.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace trainyard::cli {
namespace {

using monitor::LogFile;
using monitor::LogFolder;
using monitor::ReadNotes;

/// GETs below persistentvolumeclaims/NAME/files.
class FilesApi {
 public:
  FilesApi(Session& session, const std::string& volume)
      : session_(session),
        http_(session.loop(), session.server()),
        base_(client::resource_path(kVolumeClaims, Key{session.ns(), volume}, "files")) {}

  Result<std::string> get(const std::string& path, const std::string& more, http::Headers headers) {
    http::ClientRequest request;
    request.target = fmt::format("{}?path={}{}", base_, http::percent_encode(path), more);
    request.headers = std::move(headers);
    if (!session_.token().empty()) {
      request.headers.add("Authorization", "Bearer " + session_.token());
    }
    TRY(http::Response response, session_.run(http_.request(std::move(request))));
    if (response.status == 416) return std::string();  // there is nothing so far behind
    if (response.status >= 200 && response.status < 300) return std::move(response.body);
    const auto answer = parse_json(response.body);
    const std::string why(answer ? string_at(*answer, "message") : "");
    return Error(response.status == 404 ? Code::kNotFound : Code::kUnavailable,
                 why.empty() ? fmt::format("the server answered {}", response.status) : why);
  }

 private:
  Session& session_;
  http::Client http_;
  std::string base_;
};

class RemoteFile final : public LogFile {
 public:
  RemoteFile(FilesApi& api, std::string path, std::uint64_t size)
      : api_(api), path_(std::move(path)), size_(size) {}

  std::uint64_t size() const override { return size_; }
  std::uint64_t identity() const override { return 0; }
  Result<std::size_t> read(std::uint64_t offset, char* into, std::size_t size) override {
    if (size == 0) return std::size_t(0);
    const std::string range = fmt::format("bytes={}-{}", offset, offset + size - 1);
    TRY(const std::string bytes, api_.get(path_, "&content=true", {{"Range", range}}));
    const std::size_t got = std::min(size, bytes.size());
    std::copy_n(bytes.data(), got, into);
    return got;
  }

 private:
  FilesApi& api_;
  std::string path_;
  std::uint64_t size_;
};

class RemoteFolder final : public LogFolder {
 public:
  RemoteFolder(Session& session, const std::string& volume, std::string folder)
      : api_(session, volume), folder_(std::move(folder)) {}

  Result<std::vector<std::string>> find(ReadNotes& notes) override {
    sizes_.clear();
    TRY_OK(walk("", 0, notes));
    std::vector<std::string> found;
    for (const auto& [path, size] : sizes_) found.push_back(path);
    return found;
  }
  Result<std::unique_ptr<LogFile>> open(const std::string& path) override {
    const auto known = sizes_.find(path);
    if (known == sizes_.end()) return Error(Code::kNotFound, path + " is gone");
    return {std::make_unique<RemoteFile>(api_, join(folder_, path), known->second)};
  }

 private:
  static constexpr int kDeepest = 64;
  static constexpr int kMostEntries = 10'000;  // of one answer

  static std::string join(const std::string& folder, const std::string& name) {
    return folder.empty() ? name : folder + "/" + name;
  }

  Result<> walk(const std::string& below, int depth, ReadNotes& notes) {
    std::string after;
    while (true) {
      const std::string more =
          fmt::format("&limit={}&after={}", kMostEntries, http::percent_encode(after));
      TRY(const std::string body, api_.get(join(folder_, below), more, {}));
      TRY(const Json answer, parse_json(body));
      const JsonArray& entries = array_at(answer, "entries");
      for (const Json& entry : entries) {
        after = http::percent_decode(string_at(entry, "encoded"));
        const std::string path = join(below, after);
        const std::string_view type = string_at(entry, "type");
        if (type == "folder" && depth < kDeepest) {
          TRY_OK(walk(path, depth + 1, notes));
        } else if (type == "file" && monitor::is_event_file(after)) {
          sizes_[path] = static_cast<std::uint64_t>(int_at(entry, "bytes"));
        } else if (type == "link" && monitor::is_event_file(after)) {
          ++notes.links;
          notes.example = path;
        }
      }
      if (entries.size() < kMostEntries) return Ok();
    }
  }

  FilesApi api_;
  std::string folder_;
  std::map<std::string, std::uint64_t> sizes_;
};

/// Whether paths that the server names are this machine's.
bool is_here(const std::string& url) {
  const auto address = http::parse_server_url(url);
  return address && (address->host.starts_with("127.") || address->host == "localhost" ||
                     address->host == "::1");
}

}  // namespace

Result<std::unique_ptr<LogFolder>> open_volume_logs(Session& session, const std::string& volume,
                                                    const std::string& folder) {
  if (is_here(session.server().url)) {
    const auto found =
        session.run(client::find_claim_folder(session.api(), Key{session.ns(), volume}));
    if (found) {
      auto opened = monitor::open_log_folder(found->path, folder);
      if (opened) return opened;
    } else if (found.failed_with(Code::kNotFound) || found.failed_with(Code::kUnavailable)) {
      return found.error();
    }
  }
  return {std::make_unique<RemoteFolder>(session, volume, folder)};
}

}  // namespace trainyard::cli
