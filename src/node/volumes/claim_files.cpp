#include "node/volumes/claim_files.h"

#include "base/elsewhere.h"
#include "base/files/files.h"
#include "client/claim_folder.h"

#include <fmt/format.h>

#include <cerrno>
#include <unistd.h>

namespace trainyard::node {
namespace {

class OpenFile final : public client::FileReader {
 public:
  OpenFile(Executor threads, UniqueFd file, FileFacts facts)
      : threads_(std::move(threads)),
        file_(std::make_shared<UniqueFd>(std::move(file))),
        facts_(std::move(facts)) {}

  const FileFacts& facts() const override { return facts_; }
  awaitable<Result<std::string>> read(std::int64_t offset, std::size_t size) override {
    auto work = [file = file_, offset, size, name = facts_.name]() -> Result<std::string> {
      std::string bytes(size, '\0');
      const ssize_t got = ::pread(file->get(), bytes.data(), size, offset);
      if (got < 0) return io_error("reading", name, errno);
      bytes.resize(static_cast<std::size_t>(got));
      return bytes;
    };
    co_return co_await run_elsewhere(threads_, std::move(work));
  }

 private:
  Executor threads_;
  std::shared_ptr<UniqueFd> file_;
  FileFacts facts_;
};

Result<client::FileView> look_in(const client::ClaimFolder& where, const std::string& path,
                                 const client::FolderRange& range) {
  TRY(const SharedFolder folder, SharedFolder::open(where.path));
  client::FileView view;
  view.read_only = where.read_only;
  TRY(view.facts, folder.look(path));
  TRY(view.free_bytes, folder.free_bytes());
  if (view.facts.type == FileType::kFolder) {
    TRY(view.folder, folder.list(path, range.after, range.limit));
  }
  return view;
}

Result<> check_room(const SharedFolder& folder, std::int64_t bytes) {
  TRY(const std::int64_t room, folder.free_bytes());
  if (bytes <= room) return Ok();
  return Error(Code::kTooLarge, fmt::format("the file has {} bytes, and the disk of the volume has "
                                            "room for {} only",
                                            bytes, room));
}

}  // namespace

template <class Work>
auto ClaimFiles::elsewhere(Work work) {
  return run_elsewhere(threads_.get_executor(), std::move(work));
}

awaitable<Result<std::string>> ClaimFiles::writable_folder(Key claim) {
  const std::string name = claim.name;
  CO_TRY(const client::ClaimFolder folder, co_await client::find_claim_folder(api_, claim));
  if (!folder.read_only) co_return folder.path;
  co_return Error(Code::kForbidden,
                  fmt::format("volume {} may only be read: it has the annotation {}", name,
                              client::kReadOnlyAnnotation));
}

awaitable<Result<client::FileView>> ClaimFiles::look(Key claim, std::string path,
                                                     client::FolderRange range) {
  CO_TRY(client::ClaimFolder folder, co_await client::find_claim_folder(api_, claim));
  auto work = [folder = std::move(folder), path = std::move(path), range = std::move(range)] {
    return look_in(folder, path, range);
  };
  co_return co_await elsewhere(std::move(work));
}

awaitable<Result<std::unique_ptr<client::FileReader>>> ClaimFiles::open(Key claim,
                                                                        std::string path) {
  CO_TRY(client::ClaimFolder where, co_await client::find_claim_folder(api_, claim));
  const Executor threads = threads_.get_executor();
  auto work = [where = std::move(where), path = std::move(path),
               threads]() -> Result<std::unique_ptr<client::FileReader>> {
    TRY(const SharedFolder folder, SharedFolder::open(where.path));
    TRY(UniqueFd file, folder.open_file(path));
    TRY(FileFacts facts, facts_of(file.get(), std::filesystem::path(path).filename()));
    return {std::make_unique<OpenFile>(threads, std::move(file), std::move(facts))};
  };
  co_return co_await elsewhere(std::move(work));
}

awaitable<Result<FileFacts>> ClaimFiles::write(Key claim, std::string path, Replacing replacing,
                                               std::int64_t bytes, client::NextPart next) {
  CO_TRY(std::string where, co_await writable_folder(claim));
  auto begin = [where = std::move(where), path = std::move(path), replacing = std::move(replacing),
                bytes]() -> Result<std::shared_ptr<NewFile>> {
    TRY(const SharedFolder folder, SharedFolder::open(where));
    TRY_OK(check_room(folder, bytes));
    TRY(std::unique_ptr<NewFile> file, folder.begin_file(path, replacing));
    return std::shared_ptr<NewFile>(std::move(file));
  };
  // Not const: who captures a const pointer has a copy that no move takes away, and the draft would
  // stay for as long as the thread keeps it.
  CO_TRY(std::shared_ptr<NewFile> file, co_await elsewhere(std::move(begin)));
  for (;;) {
    CO_TRY(std::string part, co_await next());
    if (part.empty()) break;
    auto work = [file, part = std::move(part)] { return file->write(part); };
    CO_TRY_OK(co_await elsewhere(std::move(work)));
  }
  auto finish = [file] { return file->finish(); };
  co_return co_await elsewhere(std::move(finish));
}

awaitable<Result<FileFacts>> ClaimFiles::make_folder(Key claim, std::string path) {
  CO_TRY(std::string where, co_await writable_folder(claim));
  auto work = [where = std::move(where), path = std::move(path)]() -> Result<FileFacts> {
    TRY(const SharedFolder folder, SharedFolder::open(where));
    return folder.make_folder(path);
  };
  co_return co_await elsewhere(std::move(work));
}

awaitable<Result<FileFacts>> ClaimFiles::make_link(Key claim, std::string path, std::string target,
                                                   bool replace) {
  CO_TRY(std::string where, co_await writable_folder(claim));
  auto work = [where = std::move(where), path = std::move(path), target = std::move(target),
               replace]() -> Result<FileFacts> {
    TRY(const SharedFolder folder, SharedFolder::open(where));
    return folder.make_link(path, target, replace);
  };
  co_return co_await elsewhere(std::move(work));
}

awaitable<Result<FileFacts>> ClaimFiles::rename(Key claim, std::string from, std::string to) {
  CO_TRY(std::string where, co_await writable_folder(claim));
  auto work = [where = std::move(where), from = std::move(from),
               to = std::move(to)]() -> Result<FileFacts> {
    TRY(const SharedFolder folder, SharedFolder::open(where));
    return folder.rename(from, to);
  };
  co_return co_await elsewhere(std::move(work));
}

awaitable<Result<>> ClaimFiles::remove(Key claim, std::string path, bool recursive) {
  CO_TRY(std::string where, co_await writable_folder(claim));
  auto work = [where = std::move(where), path = std::move(path), recursive]() -> Result<> {
    TRY(const SharedFolder folder, SharedFolder::open(where));
    return folder.remove(path, recursive);
  };
  co_return co_await elsewhere(std::move(work));
}

}  // namespace trainyard::node
