#include "cli/server/systemd_unit.h"

#include "cli/command/up_words.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace trainyard::cli {
namespace {

bool has(const std::string& text, const std::string& line) {
  return text.find("\n" + line + "\n") != std::string::npos;
}

TEST(UnitText, LetsPodsOutliveTheServer) {
  UnitOptions options;
  options.command = {"/usr/bin/trainyard", "up", "--data-dir", "/a b/50%"};
  options.path = "/venv/bin:/usr/bin";
  const std::string text = unit_text(options);
  EXPECT_TRUE(has(text, "ExecStart=/usr/bin/trainyard up --data-dir \"/a b/50%%\"")) << text;
  EXPECT_TRUE(has(text, "KillMode=process")) << text;
  EXPECT_TRUE(has(text, "Delegate=yes")) << text;
  EXPECT_TRUE(has(text, "Environment=\"PATH=/venv/bin:/usr/bin\"")) << text;
  EXPECT_TRUE(has(text, "WantedBy=default.target")) << text;
  options.system = true;
  EXPECT_TRUE(has(unit_text(options), "WantedBy=multi-user.target"));
}

TEST(UpWords, KeepSecretsOffTheCommandLine) {
  UpOptions options;
  options.data_dir = "/data";
  options.fake_gpus = "4";
  options.webhooks = {"https://a/SECRET", "https://b/SECRET"};
  options.on_job_end = "mail -s \"$X\" SECRET";
  std::string line;
  for (const std::string& word : up_words(options)) line += word + " ";
  EXPECT_NE(line.find("--data-dir /data "), std::string::npos) << line;
  EXPECT_NE(line.find("--fake-gpus 4 "), std::string::npos) << line;
  EXPECT_EQ(line.find("SECRET"), std::string::npos) << line;
  for (const auto& [name, value] : secret_variables(options)) {
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  UpOptions taken;
  take_secret_options(taken);
  EXPECT_EQ(taken.webhooks, options.webhooks);
  EXPECT_EQ(taken.on_job_end, options.on_job_end);
  for (const auto& [name, value] : secret_variables(options)) {
    EXPECT_EQ(std::getenv(name.c_str()), nullptr) << "no child shall have it";
  }
}

TEST(EnvironmentLine, QuotesWhatSystemdWouldTakeApart) {
  EXPECT_EQ(environment_line("A", R"(a "b" \ $c `d`)"), "A=\"a \\\"b\\\" \\\\ \\$c \\`d\\`\"\n");
}

}  // namespace
}  // namespace trainyard::cli
