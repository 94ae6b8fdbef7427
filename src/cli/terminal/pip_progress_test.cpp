#include "cli/terminal/pip_progress.h"

#include <gtest/gtest.h>

namespace trainyard::cli {
namespace {

TEST(PipProgress, TellsOneThingAtATime) {
  PipProgress progress;
  EXPECT_EQ(progress.text(), "asking PyPI");
  EXPECT_EQ(progress.take("Collecting jupyterlab\n"), "");
  EXPECT_EQ(progress.text(), "1 package found, looking for jupyterlab");
  EXPECT_EQ(progress.take("  Downloading jupyterlab-4.4.whl (12.3 MB)\n"
                          "Requirement already satisfied: six in /usr/lib\n"),
            "");
  EXPECT_EQ(progress.text(), "1 package found, downloading jupyterlab-4.4.whl (12.3 MB)");
  progress.take("Collecting tornado>=6.2 (from jupyterlab)\n  Downloading ");
  EXPECT_EQ(progress.text(), "2 packages found, looking for tornado>=6.2") << "half a line";
  progress.take("https://mirror/a/tornado.whl (4 kB) ━━━ 1/4\n");
  EXPECT_EQ(progress.text(), "2 packages found, downloading tornado.whl (4 kB)");
  progress.take("Installing collected packages: tornado, jupyterlab\n");
  EXPECT_EQ(progress.text(), "unpacking 2 packages");
}

TEST(PipProgress, PassesComplaintsOn) {
  PipProgress progress;
  EXPECT_EQ(progress.take(
                "Collecting a\nWARNING: Retrying\n  after a while\nCollecting b\nERROR: no b\n"),
            "WARNING: Retrying\n  after a while\nERROR: no b\n");
}

TEST(PipProgress, TakesAnything) {
  PipProgress progress;
  for (const char* odd : {"", "\n", "Collecting \n", "Downloading \n", "Downloading /\n",
                          "Downloading )\n", "Installing collected packages: \n", "  \n"}) {
    progress.take(odd);
    EXPECT_FALSE(progress.text().empty());
  }
}

}  // namespace
}  // namespace trainyard::cli
