// docs/doctor: each check has a page that begins with its id and title and has the four parts, and each page has a
// check.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include "support/machine/expect.hpp"

namespace halyard::diagnose {
namespace {

namespace fs = std::filesystem;

const fs::path kDocs = HALYARD_DOCS_DIR;
constexpr std::string_view kLive = "live";  // what `doctor --live` finds is no check of the registry

std::string text_at(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Pages, EveryCheckHasAPageWithItsTitleAndAllParts) {
  for (const Check& check : all_checks()) {
    const std::string text = text_at(kDocs.parent_path() / page_of(check.id));
    EXPECT_TRUE(text.starts_with("# " + std::string(check.id) + ": " + std::string(check.title) + "\n")) << check.id;
    for (const char* const part : {"\n## How the doctor knows\n", "\n## What to do\n", "\n## Sources\n"})
      EXPECT_THAT(text, testing::HasSubstr(part)) << check.id;
  }
}

TEST(Pages, EveryPageIsOfACheck) {
  std::size_t num_pages = 0;
  for (const auto& entry : fs::directory_iterator(kDocs / "doctor")) {
    const std::string name = entry.path().stem().string();
    EXPECT_TRUE(entry.path().extension() == ".md") << entry.path();
    EXPECT_TRUE(name == kLive || find_check(name) != nullptr) << "docs/doctor/" << name << ".md belongs to no check";
    ++num_pages;
  }
  EXPECT_EQ(num_pages, all_checks().size() + 1);
}

// Every `--check ID` and every link to a page in the guide and the pages is of a check that there is.
TEST(Pages, NameNoChecksThatThereAreNot) {
  std::vector<fs::path> texts{kDocs / "enable-gpudirect.md"};
  for (const auto& entry : fs::directory_iterator(kDocs / "doctor")) texts.push_back(entry.path());
  std::size_t num_named = 0;
  for (const fs::path& path : texts) {
    const std::string text = text_at(path);
    EXPECT_NE(text, "") << path;
    const std::regex named("--check ([a-z0-9-]+)|\\((?:doctor/)?([a-z0-9-]+)\\.md\\)");
    for (std::sregex_iterator found(text.begin(), text.end(), named), end; found != end; ++found, ++num_named) {
      const std::string id = (*found)[1].matched ? (*found)[1] : (*found)[2];
      EXPECT_TRUE(id == kLive || find_check(id) != nullptr) << path << " names " << id;
    }
  }
  EXPECT_GT(num_named, 20u);
}

}  // namespace
}  // namespace halyard::diagnose
