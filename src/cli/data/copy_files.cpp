#include "cli/data/copy_files.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::cli {
namespace {

constexpr std::size_t kReadAtOnce = 256 << 10;

std::string joined(const std::string& folder, const std::string& name) {
  if (folder.empty() || name.empty()) return folder + name;
  return folder + "/" + name;
}

/// Gives a file's content, as much of it as was there when it was listed: the other side was told.
class Content {
 public:
  Content(std::unique_ptr<client::FileReader> file, std::int64_t bytes, const Copied& copied)
      : file_(std::move(file)), bytes_(bytes), copied_(copied) {}

  awaitable<Result<std::string>> next() {
    const auto size = static_cast<std::size_t>(
        std::min<std::int64_t>(bytes_ - at_, static_cast<std::int64_t>(kReadAtOnce)));
    if (size == 0) co_return std::string();
    CO_TRY(std::string part, co_await file_->read(at_, size));
    if (part.empty()) {
      co_return Error(Code::kConflict,
                      fmt::format("{} has become shorter while it was copied: copy it again",
                                  file_->facts().name));
    }
    at_ += static_cast<std::int64_t>(part.size());
    if (copied_) copied_(part.size());
    co_return part;
  }

 private:
  std::unique_ptr<client::FileReader> file_;
  std::int64_t bytes_;
  const Copied& copied_;
  std::int64_t at_ = 0;
};

/// A folder that is there already will do.
awaitable<Result<>> make_one(CopySide& side, std::string path, FileFacts like) {
  Result<> made = co_await side.make_folder(path, std::move(like));
  if (!made.failed_with(Code::kAlreadyExists)) co_return made;
  CO_TRY(const FileFacts there, co_await side.look(std::move(path)));
  if (there.type == FileType::kFolder) co_return Ok();
  co_return made;
}

}  // namespace

awaitable<Result<std::vector<CopyItem>>> list_copy(CopySide& from, std::string path) {
  std::vector<CopyItem> items;
  CO_TRY(FileFacts top, co_await from.look(path));
  items.push_back({"", std::move(top)});
  for (std::size_t i = 0; i < items.size(); ++i) {
    const CopyItem item = items[i];
    if (item.facts.type == FileType::kSpecial) {
      co_return Error(Code::kInvalid,
                      fmt::format("{} is neither a file nor a folder", joined(path, item.path)));
    }
    if (item.facts.type != FileType::kFolder) continue;
    CO_TRY(std::vector<FileFacts> entries, co_await from.list(joined(path, item.path)));
    for (FileFacts& entry : entries) {
      std::string below = joined(item.path, entry.name);
      items.push_back({std::move(below), std::move(entry)});
    }
  }
  co_return items;
}

std::uint64_t bytes_of(const std::vector<CopyItem>& items) {
  std::uint64_t bytes = 0;
  for (const CopyItem& item : items) {
    if (item.facts.type == FileType::kFile) bytes += static_cast<std::uint64_t>(item.facts.bytes);
  }
  return bytes;
}

awaitable<Result<>> copy_items(CopySide& from, std::string source, std::vector<CopyItem> items,
                               CopySide& to, std::string target, Copied copied) {
  for (const CopyItem& item : items) {
    const std::string there = joined(target, item.path);
    if (item.facts.type == FileType::kFolder) {
      if (!there.empty()) CO_TRY_OK(co_await make_one(to, there, item.facts));
    } else if (item.facts.type == FileType::kLink) {
      CO_TRY_OK(co_await to.make_link(there, item.facts.target));
    } else {
      CO_TRY(auto file, co_await from.open(joined(source, item.path)));
      // What it is now: it may have grown since.
      FileFacts like = file->facts();
      Content content(std::move(file), like.bytes, copied);
      client::NextPart next = [&content] { return content.next(); };
      CO_TRY_OK(co_await to.write(there, std::move(like), std::move(next)));
    }
  }
  co_return Ok();
}

awaitable<Result<>> make_folders_in(CopySide& side, std::string path) {
  const auto there = co_await side.look(path);
  if (there || path.empty()) co_return Ok();
  FileFacts usual;
  usual.mode = 0755;
  for (std::size_t end = 0; end != std::string::npos;) {
    end = path.find('/', end + 1);
    CO_TRY_OK(co_await make_one(side, path.substr(0, end), usual));
  }
  co_return Ok();
}

}  // namespace trainyard::cli
