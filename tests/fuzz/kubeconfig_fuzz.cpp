// Kubeconfigs: any file is read or refused in words, and what we write is read as it was meant.
#include "client/remote/kubeconfig.h"
#include "fuzz.h"
#include "http/wire/url.h"
#include "object/json/utf8.h"

#include <fmt/format.h>

#include <sys/mman.h>
#include <unistd.h>

namespace trainyard::fuzz {
namespace {

/// A file in memory, under a name that can be opened.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content) : fd_(::memfd_create("kubeconfig", MFD_CLOEXEC)) {
    const ssize_t written = ::write(fd_, content.data(), content.size());
    require(written == static_cast<ssize_t>(content.size()), "memory takes a file");
  }
  ~MemoryFile() { ::close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return fmt::format("/proc/self/fd/{}", fd_); }

 private:
  int fd_;
};

bool names_a_file(std::string_view input) {
  // Inputs that name other files would make the outcome depend on the machine.
  for (const char* key : {"certificate-authority:", "client-certificate:", "client-key:",
                          "tokenFile", "certificate-authority\"", "client-", "<<", "&"}) {
    if (input.find(key) != std::string_view::npos) return true;
  }
  return false;
}

void check_written(const std::vector<std::string_view>& lines) {
  if (lines.size() < 4) return;
  client::KubeconfigContents contents;
  contents.server_url = lines[0];
  contents.ca_pem = lines[1];
  contents.user = lines[2];
  contents.token = lines[3];
  if (lines.size() > 4 && !lines[4].empty()) contents.ns = lines[4];
  for (const std::string* text :
       {&contents.server_url, &contents.user, &contents.token, &contents.ns}) {
    if (!is_utf8(*text)) return;
  }
  const MemoryFile file(client::make_kubeconfig(contents));
  const auto connection = client::load_kubeconfig(file.path());
  require(connection.has_value(), "a kubeconfig that we wrote can be read",
          connection ? "" : connection.error().message());
  require(connection->http.url == contents.server_url &&
              connection->http.ca_pem == contents.ca_pem && connection->ns == contents.ns,
          "and says what it was given", contents.server_url);
  const bool is_safe = contents.server_url.starts_with("https://");
  const std::string token = is_safe ? contents.token : "";  // never in clear
  require(contents.user.empty() || connection->token == token, "the token, where it is safe");
}

}  // namespace

void run(std::string_view input) {
  const std::vector<std::string_view> lines = lines_of(input);
  check_written(lines);
  const auto address = http::parse_server_url(std::string(lines.front()));
  if (address) require(!address->host.empty() && !address->port.empty(), "an address is whole");
  if (names_a_file(input)) return;
  const MemoryFile file(input);
  const auto connection = client::load_kubeconfig(file.path());
  require(connection || connection.error().message().find(file.path()) != std::string::npos,
          "an error names the file", connection ? "" : connection.error().message());
}

}  // namespace trainyard::fuzz
