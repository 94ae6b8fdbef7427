#include "client/remote/remote_volume_files.h"

#include "http/wire/url.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace trainyard::client {
namespace {

/// Files up to here are sent in one piece, over a connection that is kept.
constexpr std::size_t kAtOnce = 1 << 20;

std::string target_of(const Key& claim, const std::string& path, const std::string& more = "") {
  return fmt::format("{}?path={}{}", resource_path(kVolumeClaims, claim, "files"),
                     http::percent_encode(path), more);
}

http::ClientRequest request_of(const char* method, std::string target) {
  http::ClientRequest request;
  request.method = method;
  request.target = std::move(target);
  return request;
}

FileType type_of(std::string_view word) {
  if (word == "folder") return FileType::kFolder;
  if (word == "link") return FileType::kLink;
  return word == "file" ? FileType::kFile : FileType::kSpecial;
}

unsigned number_in(std::string_view text, int base) {
  return static_cast<unsigned>(std::strtoul(std::string(text).c_str(), nullptr, base));
}

class RemoteReader final : public FileReader {
 public:
  RemoteReader(RemoteApi& api, std::string target, FileFacts facts)
      : api_(api), target_(std::move(target)), facts_(std::move(facts)) {}

  const FileFacts& facts() const override { return facts_; }
  awaitable<Result<std::string>> read(std::int64_t offset, std::size_t size) override {
    if (offset >= facts_.bytes) co_return std::string();
    if (stream_ == nullptr || offset != at_) CO_TRY_OK(co_await begin_at(offset));
    if (rest_.empty()) {
      CO_TRY(rest_, co_await stream_->read());
    }
    std::string part = rest_.substr(0, size);
    rest_.erase(0, part.size());
    at_ += static_cast<std::int64_t>(part.size());
    co_return part;
  }

 private:
  awaitable<Result<>> begin_at(std::int64_t offset) {
    http::ClientRequest request = request_of("GET", target_);
    if (offset > 0) request.headers.add("Range", fmt::format("bytes={}-", offset));
    CO_TRY(stream_, co_await api_.open(std::move(request)));
    rest_.clear();
    at_ = offset;
    co_return Ok();
  }

  RemoteApi& api_;
  std::string target_;
  FileFacts facts_;
  std::unique_ptr<http::ResponseStream> stream_;
  std::string rest_;
  std::int64_t at_ = 0;
};

/// What was taken to see how much there is, then the rest.
awaitable<Result<std::string>> first_then(std::string& first, NextPart& next) {
  if (!first.empty()) co_return std::exchange(first, std::string());
  co_return co_await next();
}

}  // namespace

FileFacts read_file_facts(const Json& file) {
  FileFacts facts;
  facts.name = http::percent_decode(string_at(file, "encoded"));
  facts.type = type_of(string_at(file, "type"));
  facts.bytes = int_at(file, "bytes");
  if (const auto modified = parse_time(string_at(file, "modified"))) facts.modified = *modified;
  facts.mode = number_in(string_at(file, "mode"), 8);
  const std::string_view owner = string_at(file, "owner");
  const std::size_t colon = std::min(owner.find(':'), owner.size());
  facts.uid = number_in(owner.substr(0, colon), 10);
  facts.gid = number_in(owner.substr(std::min(colon + 1, owner.size())), 10);
  facts.target = http::percent_decode(string_at(file, "encodedTarget"));
  facts.tag = string_at(file, "tag");
  return facts;
}

awaitable<Result<FileFacts>> RemoteVolumeFiles::ask_for_facts(http::ClientRequest request) {
  CO_TRY(const Json answer, co_await api_.call(std::move(request)));
  co_return read_file_facts(answer);
}

awaitable<Result<FileView>> RemoteVolumeFiles::look(Key claim, std::string path,
                                                    FolderRange range) {
  std::string more;
  if (range.limit > 0) more += fmt::format("&limit={}", range.limit);
  if (!range.after.empty()) more += "&after=" + http::percent_encode(range.after);
  CO_TRY(const Json answer, co_await api_.call(request_of("GET", target_of(claim, path, more))));
  FileView view;
  if (const Json* file = find(answer, "file")) view.facts = read_file_facts(*file);
  view.read_only = bool_at(answer, "readOnly");
  view.free_bytes = int_at(answer, "freeBytes");
  view.folder.total = static_cast<std::size_t>(int_at(answer, "total"));
  for (const Json& entry : array_at(answer, "entries")) {
    view.folder.entries.push_back(read_file_facts(entry));
  }
  co_return view;
}

awaitable<Result<std::unique_ptr<FileReader>>> RemoteVolumeFiles::open(Key claim,
                                                                       std::string path) {
  std::string target = target_of(claim, path, "&content=true");
  CO_TRY(FileView view, co_await look(std::move(claim), std::move(path), FolderRange{"", 1}));
  if (view.facts.type != FileType::kFile) {
    // In the server's words.
    CO_TRY(const auto refused, co_await api_.open(request_of("GET", target)));
  }
  std::unique_ptr<FileReader> reader =
      std::make_unique<RemoteReader>(api_, std::move(target), std::move(view.facts));
  co_return reader;
}

awaitable<Result<FileFacts>> RemoteVolumeFiles::write(Key claim, std::string path,
                                                      Replacing replacing, std::int64_t bytes,
                                                      NextPart next) {
  std::string more = replacing.allowed ? "&overwrite=true" : "";
  if (replacing.links) more += "&overwriteLinks=true";
  if (replacing.mode) more += fmt::format("&mode={:o}", *replacing.mode & 0777U);
  http::ClientRequest request = request_of("PUT", target_of(claim, path, more));
  if (!replacing.only_with.empty()) {
    request.headers.add("If-Match", fmt::format("\"{}\"", replacing.only_with));
  }
  std::string first;
  bool whole = false;
  while (!whole && first.size() < kAtOnce) {
    CO_TRY(const std::string part, co_await next());
    whole = part.empty();
    first += part;
  }
  if (whole) {
    request.body = std::move(first);
    co_return co_await ask_for_facts(std::move(request));
  }
  request.next_part = [&first, &next] { return first_then(first, next); };
  request.length = static_cast<std::uint64_t>(bytes);
  CO_TRY(const auto answer, co_await api_.open(std::move(request)));
  std::string text;
  for (;;) {
    CO_TRY(const std::string part, co_await answer->read());
    if (part.empty()) break;
    text += part;
  }
  CO_TRY(const Json facts, parse_json(text));
  co_return read_file_facts(facts);
}

awaitable<Result<FileFacts>> RemoteVolumeFiles::make_folder(Key claim, std::string path) {
  co_return co_await ask_for_facts(request_of("POST", target_of(claim, path)));
}

awaitable<Result<FileFacts>> RemoteVolumeFiles::make_link(Key claim, std::string path,
                                                          std::string target, bool replace) {
  const std::string more =
      fmt::format("&target={}{}", http::percent_encode(target), replace ? "&overwrite=true" : "");
  co_return co_await ask_for_facts(request_of("POST", target_of(claim, path, more)));
}

awaitable<Result<FileFacts>> RemoteVolumeFiles::rename(Key claim, std::string from,
                                                       std::string to) {
  co_return co_await ask_for_facts(
      request_of("PATCH", target_of(claim, from, "&to=" + http::percent_encode(to))));
}

awaitable<Result<>> RemoteVolumeFiles::remove(Key claim, std::string path, bool recursive) {
  CO_TRY_OK(co_await api_.call(
      request_of("DELETE", target_of(claim, path, recursive ? "&recursive=true" : ""))));
  co_return Ok();
}

}  // namespace trainyard::client
