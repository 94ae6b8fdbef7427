#include "cli/data/copy_side.h"

#include "base/files/files.h"

#include <cerrno>
#include <unistd.h>

namespace trainyard::cli {
namespace {

constexpr std::size_t kNamesAtOnce = 10'000;

class LocalReader final : public client::FileReader {
 public:
  LocalReader(UniqueFd file, FileFacts facts) : file_(std::move(file)), facts_(std::move(facts)) {}
  const FileFacts& facts() const override { return facts_; }
  awaitable<Result<std::string>> read(std::int64_t offset, std::size_t size) override {
    std::string bytes(size, '\0');
    const ssize_t got = ::pread(file_.get(), bytes.data(), size, offset);
    if (got < 0) co_return io_error("reading", facts_.name, errno);
    bytes.resize(static_cast<std::size_t>(got));
    co_return bytes;
  }

 private:
  UniqueFd file_;
  FileFacts facts_;
};

class LocalSide final : public CopySide {
 public:
  explicit LocalSide(SharedFolder folder) : folder_(std::move(folder)) {}

  awaitable<Result<FileFacts>> look(std::string path) override { co_return folder_.look(path); }
  awaitable<Result<std::vector<FileFacts>>> list(std::string path) override {
    CO_TRY(FolderPage page, folder_.list(path, "", SIZE_MAX));
    co_return std::move(page.entries);
  }
  awaitable<Result<std::unique_ptr<client::FileReader>>> open(std::string path) override {
    CO_TRY(UniqueFd file, folder_.open_file(path));
    CO_TRY(FileFacts facts, facts_of(file.get(), path));
    std::unique_ptr<client::FileReader> reader =
        std::make_unique<LocalReader>(std::move(file), std::move(facts));
    co_return reader;
  }
  awaitable<Result<>> write(std::string path, FileFacts like, client::NextPart next) override {
    Replacing replacing;
    replacing.allowed = replacing.links = true;
    replacing.mode = like.mode;
    CO_TRY(const std::unique_ptr<NewFile> file, folder_.begin_file(path, std::move(replacing)));
    for (;;) {
      CO_TRY(const std::string part, co_await next());
      if (part.empty()) break;
      CO_TRY_OK(file->write(part));
    }
    CO_TRY_OK(file->finish());
    co_return Ok();
  }
  awaitable<Result<>> make_folder(std::string path, FileFacts like) override {
    // Its owner must be able to fill it.
    CO_TRY_OK(folder_.make_folder(path, (like.mode & 0777U) | 0700U));
    co_return Ok();
  }
  awaitable<Result<>> make_link(std::string path, std::string target) override {
    CO_TRY_OK(folder_.make_link(path, target, true));
    co_return Ok();
  }

 private:
  SharedFolder folder_;
};

class VolumeSide final : public CopySide {
 public:
  VolumeSide(client::VolumeFiles& files, Key claim) : files_(files), claim_(std::move(claim)) {}

  awaitable<Result<FileFacts>> look(std::string path) override {
    const client::FolderRange least{"", 1};
    CO_TRY(client::FileView view, co_await files_.look(claim_, std::move(path), least));
    co_return std::move(view.facts);
  }
  awaitable<Result<std::vector<FileFacts>>> list(std::string path) override {
    std::vector<FileFacts> all;
    for (;;) {
      client::FolderRange range{all.empty() ? "" : all.back().name, kNamesAtOnce};
      CO_TRY(client::FileView view, co_await files_.look(claim_, path, std::move(range)));
      std::vector<FileFacts>& entries = view.folder.entries;
      all.insert(all.end(), std::make_move_iterator(entries.begin()),
                 std::make_move_iterator(entries.end()));
      if (entries.size() < kNamesAtOnce) co_return all;
    }
  }
  awaitable<Result<std::unique_ptr<client::FileReader>>> open(std::string path) override {
    co_return co_await files_.open(claim_, std::move(path));
  }
  awaitable<Result<>> write(std::string path, FileFacts like, client::NextPart next) override {
    Replacing replacing;
    replacing.allowed = replacing.links = true;
    replacing.mode = like.mode & 0777U;
    CO_TRY_OK(co_await files_.write(claim_, std::move(path), std::move(replacing), like.bytes,
                                    std::move(next)));
    co_return Ok();
  }
  awaitable<Result<>> make_folder(std::string path, FileFacts) override {
    // Shared with the pods as the folder above is.
    CO_TRY_OK(co_await files_.make_folder(claim_, std::move(path)));
    co_return Ok();
  }
  awaitable<Result<>> make_link(std::string path, std::string target) override {
    CO_TRY_OK(co_await files_.make_link(claim_, std::move(path), std::move(target), true));
    co_return Ok();
  }

 private:
  client::VolumeFiles& files_;
  Key claim_;
};

}  // namespace

std::unique_ptr<CopySide> local_side(SharedFolder folder) {
  return std::make_unique<LocalSide>(std::move(folder));
}

std::unique_ptr<CopySide> volume_side(client::VolumeFiles& files, Key claim) {
  return std::make_unique<VolumeSide>(files, std::move(claim));
}

}  // namespace trainyard::cli
