#include "http/wire/gzip.h"

#include "base/check.h"

#include <zlib.h>

#include <array>

namespace trainyard::http {
namespace {

constexpr int kGzip = 15 + 16;  // zlib's way to ask for gzip's header

/// zlib takes what it only reads as if it would change it.
Bytef* bytes_of(std::string_view text) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
}

}  // namespace

bool accepts_gzip(const Headers& request) {
  const std::string_view accepted = request.find("Accept-Encoding").value_or("");
  return accepted.find("gzip") != std::string_view::npos &&
         accepted.find("gzip;q=0") == std::string_view::npos;
}

std::string pack(std::string_view bytes, int effort) {
  z_stream stream{};
  CHECK(deflateInit2(&stream, effort, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = bytes_of(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const bool whole = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  CHECK(whole);
  return packed;
}

Result<std::string> unpack(std::string_view packed) {
  z_stream stream{};
  if (inflateInit2(&stream, kGzip) != Z_OK) return Error(Code::kInternal, "no memory to unpack");
  stream.next_in = bytes_of(packed);
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string bytes;
  std::array<char, 65536> piece{};
  int state = Z_OK;
  while (state == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = piece.size();
    state = inflate(&stream, Z_NO_FLUSH);
    bytes.append(piece.data(), piece.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (state != Z_STREAM_END) return Error(Code::kInvalid, "this is not packed by gzip, or cut off");
  return bytes;
}

}  // namespace trainyard::http
