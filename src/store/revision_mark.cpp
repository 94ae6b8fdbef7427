#include "store/revision_mark.h"

#include "base/files/files.h"

#include <fmt/format.h>

#include <charconv>

namespace trainyard::store {

Result<RevisionMark> RevisionMark::open(std::filesystem::path file) {
  RevisionMark mark;
  mark.file_ = std::move(file);
  const auto content = read_file(mark.file_);
  if (content.failed_with(Code::kNotFound)) return mark;
  if (!content) return content.error();
  const char* end = content->data() + content->size();
  const auto read = std::from_chars(content->data(), end, mark.value_);
  if (read.ec != std::errc() || read.ptr == end || *read.ptr != '\n' || mark.value_ < 0) {
    return Error(Code::kInternal,
                 fmt::format("{} is damaged: it should hold one number, the highest revision that "
                             "was ever given out. Remove it if you do not know it",
                             mark.file_.string()));
  }
  return mark;
}

Result<> RevisionMark::write(std::int64_t value) {
  TRY_OK(write_file(file_, fmt::format("{}\n", value), 0600));
  value_ = value;
  return Ok();
}

Result<> RevisionMark::cover(std::int64_t revision) {
  return revision <= value_ ? Result<>(Ok()) : write(revision + kBlock);
}

Result<> RevisionMark::settle(std::int64_t revision) {
  return revision == value_ ? Result<>(Ok()) : write(revision);
}

}  // namespace trainyard::store
