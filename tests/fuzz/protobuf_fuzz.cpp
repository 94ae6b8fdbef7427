// Protobuf bodies: what is decoded is an object that JSON can say.
#include "fuzz.h"
#include "object/protobuf/protobuf.h"

namespace trainyard::fuzz {

void run(std::string_view input) {
  const Result<Json> decoded = decode_protobuf(input);
  if (!decoded) {
    const Code code = decoded.error().code();
    require(code == Code::kBadRequest || code == Code::kUnsupported,
            "a body that cannot be read is the sender's fault", decoded.error().message());
    return;
  }
  require(decoded->is_object(), "a body is an object");
  require(!string_at(*decoded, "kind").empty(), "an object says what it is", to_text(*decoded));
  const std::string text = to_text(*decoded);
  const Result<Json> again = parse_json(text);
  require(again && to_text(*again) == text, "it can be stored as JSON and read back", text);
}

}  // namespace trainyard::fuzz
