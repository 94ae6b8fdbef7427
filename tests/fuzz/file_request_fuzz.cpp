// What requests for the files of volumes say: a path, a name, a tag and a range, a line each.
#include "base/files/shared_folder.h"
#include "fuzz.h"
#include "object/json/utf8.h"
#include "server/wire/file_requests.h"

#include <algorithm>

namespace trainyard::fuzz {
namespace {

void check_path(std::string_view input) {
  const Result<std::string> path = clean_path(input);
  if (!path) return;
  require(!path->starts_with('/') && !path->ends_with('/'), "a clean path is below", *path);
  require(("/" + *path + "/").find("/../") == std::string::npos, "a clean path stays there", *path);
  require(path->find("//") == std::string::npos, "a clean path has no empty names", *path);
  const Result<std::string> again = clean_path(*path);
  require(again && *again == *path, "a clean path is its own clean path", *path);
}

void check_range(std::string_view input, std::int64_t size) {
  const auto range = server::parse_range(input, size);
  if (!range || !*range) return;
  const server::ByteRange part = **range;
  require(part.first >= 0 && part.length > 0 && part.first <= size - part.length,
          "a range lies in its file", input);
}

void check_name(std::string_view input) {
  const std::string header = server::attachment(input);
  const bool plain =
      std::all_of(header.begin(), header.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
  require(plain, "a header is one line of plain letters", header);
  require(std::count(header.begin(), header.end(), '"') == 2, "a name ends no quotes", header);
  FileFacts facts;
  facts.name = input;
  facts.target = input;
  facts.type = FileType::kLink;
  require(is_utf8(to_text(server::describe_file(facts))), "what is told is text", input);
}

}  // namespace

void run(std::string_view input) {
  const std::vector<std::string_view> lines = lines_of(input);
  check_path(input);
  check_name(input);
  for (const std::string_view line : lines) {
    check_range(line, static_cast<std::int64_t>(input.size()));
    require(server::parse_tag(line).find('"') == std::string::npos, "a tag has no quotes", line);
  }
}

}  // namespace trainyard::fuzz
