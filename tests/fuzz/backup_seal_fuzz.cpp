// The line that ends a backup, and the manifest that begins it.
#include "cli/server/backup_file.h"
#include "fuzz.h"

namespace trainyard::fuzz {

void run(std::string_view input) {
  const auto seal = cli::parse_seal(input);
  if (seal) {
    require(seal->sha256.size() == 64, "a checksum is whole", seal->sha256);
    const auto again = cli::parse_seal(seal->text());
    require(again && again->sha256 == seal->sha256 && again->bytes == seal->bytes,
            "what is written is read back", input);
  }
  const auto manifest = cli::check_manifest(std::string(input));
  require(manifest || manifest.error().code() == Code::kInvalid ||
              manifest.error().code() == Code::kUnsupported,
          "a wrong manifest is no fault of ours", input);
}

}  // namespace trainyard::fuzz
