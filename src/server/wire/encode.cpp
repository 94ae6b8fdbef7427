#include "server/wire/encode.h"

#include "base/yield.h"
#include "http/wire/gzip.h"
#include "object/table/table.h"
#include "server/status.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::server {
namespace {

constexpr std::size_t kWorthCompressing = 128UL * 1024;
constexpr std::size_t kMostWarnings = 50;  // Python's client takes no more than 100 headers
constexpr std::size_t kMostWarningBytes = 4096;
constexpr std::size_t kLongestWarning = 256;

Json metadata_only(const Json& object) {
  return {{"kind", "PartialObjectMetadata"},
          {"apiVersion", "meta.k8s.io/v1"},
          {"metadata", object_at(object, "metadata")}};
}

JsonObject list_metadata(const Page& page) {
  JsonObject metadata{{"resourceVersion", std::to_string(page.listing.revision)}};
  if (!page.continue_token.empty()) metadata["continue"] = page.continue_token;
  if (page.remaining) metadata["remainingItemCount"] = *page.remaining;
  return metadata;
}

std::string head_of_list(const Kind& kind, Form form, const Page& page) {
  const bool partial = form == Form::kMetadata;
  return fmt::format(R"({{"kind":"{}","apiVersion":"{}","metadata":{},"items":[)",
                     partial ? "PartialObjectMetadataList" : kind.list_kind,
                     partial ? "meta.k8s.io/v1" : kind.resource.api_version(),
                     to_text(list_metadata(page)));
}

std::string quoted_warning(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;  // a header is one line
  }
  return fmt::format("299 - \"{}\"", escaped);
}

/// At most that many bytes, and no half of a character.
std::string_view shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0U) == 0x80) --most;
  return text.substr(0, most);
}

}  // namespace

void append_object(std::string& out, const Kind& kind, Form form, const ObjectPtr& object,
                   const std::string& include, WallTime now) {
  if (form == Form::kTable) {
    Json table = make_table(kind, {object}, now, include, true);
    make_path(table, "metadata.resourceVersion") =
        string_at(object->body(), "metadata.resourceVersion");
    append_text(out, table);
  } else if (form == Form::kMetadata) {
    append_text(out, metadata_only(object->whole()));
  } else {
    out += object->text();
  }
}

std::string encode_list(const Kind& kind, Form form, const Page& page, const std::string& include,
                        WallTime now) {
  if (form == Form::kTable) {
    Json table = make_table(kind, page.listing.objects, now, include, true);
    table.get_object()["metadata"] = list_metadata(page);
    return to_text(table);
  }
  std::string out = head_of_list(kind, form, page);
  if (form == Form::kJson) {
    std::size_t size = out.size() + 2;
    for (const ObjectPtr& object : page.listing.objects) size += object->text().size() + 1;
    out.reserve(size);
  }
  bool first = true;
  for (const ObjectPtr& object : page.listing.objects) {
    if (!first) out += ',';
    first = false;
    append_object(out, kind, form, object, include, now);
  }
  out += "]}";
  return out;
}

awaitable<std::string> encode_list_in_turns(const Kind& kind, Form form, const Page& page,
                                            std::string include, WallTime now) {
  constexpr std::size_t kObjects = 500;      // that are looked at in one turn,
  constexpr std::size_t kBytes = 2UL << 20;  // and how much text of theirs
  std::string out;
  if (form == Form::kTable) {
    Json table = make_table(kind, {}, now, include, true);
    table.get_object()["metadata"] = list_metadata(page);
    out = to_text(table);
    out.resize(out.size() - 2);  // "]}": rows come last
  } else {
    out = head_of_list(kind, form, page);
  }
  std::size_t objects = 0;
  std::size_t bytes = 0;
  for (const ObjectPtr& object : page.listing.objects) {
    if (&object != &page.listing.objects.front()) out += ',';
    if (form == Form::kTable) {
      const Json table = make_table(kind, {object}, now, include, false);
      append_text(out, array_at(table, "rows")[0]);
    } else {
      append_object(out, kind, form, object, include, now);
    }
    bytes += object->text_size();
    if (++objects < kObjects && bytes < kBytes) continue;
    objects = bytes = 0;
    co_await yield_to_others();
  }
  out += "]}";
  co_return out;
}

http::Response json_response(int status, std::string body) {
  http::Response response;
  response.status = status;
  response.headers.add("Content-Type", "application/json");
  response.body = std::move(body);
  return response;
}

http::Response text_response(std::string text) {
  http::Response response;
  response.headers.add("Content-Type", "text/plain; charset=utf-8");
  response.body = std::move(text);
  return response;
}

http::Response error_response(const Error& error) {
  return json_response(http_status(error.code()), to_text(status_of(error)));
}

http::Response error_response(const Error& error, const Kind& kind, const std::string& name) {
  return json_response(http_status(error.code()), to_text(status_of(error, kind, name)));
}

http::Response refuse_type(int status, const char* reason, const std::string& message) {
  Json body = status_of(Error(Code::kUnsupported, message));
  body.get_object()["reason"] = reason;
  body.get_object()["code"] = status;
  return json_response(status, to_text(body));
}

void add_warnings(http::Response& response, const std::vector<std::string>& warnings) {
  std::size_t left = kMostWarningBytes;
  for (std::size_t i = 0; i < std::min(warnings.size(), kMostWarnings); ++i) {
    const std::string_view told = shortened(warnings[i], kLongestWarning);
    if (told.size() > left) return;
    left -= told.size();
    response.headers.add("Warning", quoted_warning(told));
  }
}

void compress(const http::Request& request, http::Response& response) {
  if (response.body.size() < kWorthCompressing || !http::accepts_gzip(request.headers)) return;
  constexpr int kFast = 1;
  response.body = http::pack(response.body, kFast);
  response.headers.add("Content-Encoding", "gzip");
  response.headers.add("Vary", "Accept-Encoding");
}

}  // namespace trainyard::server
