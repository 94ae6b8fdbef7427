#include "store/revision_mark.h"

#include "base/files/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fcntl.h>
#include <unistd.h>

namespace trainyard::store {
namespace {

// At a million writes a second, reached after 285 years. JavaScript counts no further, either.
constexpr std::int64_t kMost = std::int64_t{1} << 53;

/// Takes a number and the end of its line off the text.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr == end || *read.ptr != '\n') return std::nullopt;
  if (number < 0 || number > kMost) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(read.ptr + 1 - text.data()));
  return number;
}

/// Always as long, so that it can be replaced in its place.
std::string durable_line(std::int64_t revision) {
  return fmt::format("{:020}\n", revision);
}

}  // namespace

std::string RevisionMark::text_of(std::int64_t value, std::optional<std::int64_t> durable) {
  return fmt::format("{}\n{}", value, durable ? durable_line(*durable) : "");
}

Result<RevisionMark> RevisionMark::open(std::filesystem::path file) {
  RevisionMark mark;
  mark.file_ = std::move(file);
  const auto content = read_file(mark.file_);
  if (content.failed_with(Code::kNotFound)) return mark;
  if (!content) return content.error();
  std::string_view rest = *content;
  const auto value = take_number(rest);
  if (value && !rest.empty()) mark.durable_ = take_number(rest);
  const bool whole = value && rest.empty() && mark.durable_.value_or(0) <= *value;
  if (!whole) {
    return Error(Code::kInternal,
                 fmt::format("{} is damaged: it should hold the highest revision that was ever "
                             "given out, and the last one that was written, a line each, below "
                             "2^53. Take the file from a backup, or remove it: the server then "
                             "goes on from the last revision in the store",
                             mark.file_.string()));
  }
  mark.value_ = *value;
  return mark;
}

Result<> RevisionMark::write(std::int64_t value) {
  const std::string text = text_of(value, durable_);
  TRY_OK(write_file(file_, text, 0600));
  value_ = value;
  open_file_ = UniqueFd(::open(file_.c_str(), O_WRONLY | O_CLOEXEC));
  return Ok();
}

Result<> RevisionMark::cover(std::int64_t revision) {
  return revision <= value_ ? Result<>(Ok()) : write(revision + kBlock);
}

void RevisionMark::note_durable(std::int64_t revision) {
  if (durable_ && revision <= *durable_) return;
  const bool has_line = durable_.has_value();
  durable_ = revision;
  if (!has_line || !open_file_.valid()) return;  // the next write() has it
  const std::string line = durable_line(revision);
  const auto place = static_cast<off_t>(text_of(value_, std::nullopt).size());
  [[maybe_unused]] const ssize_t written =
      ::pwrite(open_file_.get(), line.data(), line.size(), place);
}

Result<> RevisionMark::settle(std::int64_t revision, std::int64_t durable) {
  if (revision == value_ && durable_ == durable) return Ok();
  durable_ = durable;
  return write(std::max(revision, durable));
}

}  // namespace trainyard::store
