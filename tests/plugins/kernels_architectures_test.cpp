// SPDX-License-Identifier: Apache-2.0
// Every source kernel that comes with kerntune, for every architecture that the compiler at hand knows: what the static
// filter lets through must compile, and fit. KERNTUNE_COMPILE_SAMPLES sets how many random configurations of each
// kernel are compiled beside the default (1). KERNTUNE_FACTS_FILE names a file for the table of docs/kernels.md.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <kerntune/core/compile.hpp>
#include <kerntune/search/rng.hpp>

#include "engine/static_filter.hpp"
#include "kernels_support.hpp"
#include "spec/architecture_limits.hpp"

namespace {

using kerntune::CompiledModule;
using kerntune::Dims;
using kerntune::EntryFacts;
using kerntune::Reason;
using kerntune::Rejection;
using kerntune::SourceCode;
using kerntune::StaticView;
using kerntune::TuningContext;
using kerntune::search::Config;
using testing::AnyOf;

constexpr const char* kKernels[] = {"copy", "transpose", "sgemm", "row_softmax", "split_reduce", "saxpy_t1"};

/// From a plugin, or the T1 file that is shipped beside them.
std::shared_ptr<const kerntune::SpecProgram> program_of(const std::string& kernel) {
  if (kernel != "saxpy_t1")
    return std::make_shared<kerntune::SpecProgram>(kernels_test::open_plugin(kernel).kernels()[0].spec());
  for (const std::string& folder : kerntune::plugin_search_path()) {
    const std::filesystem::path file = std::filesystem::path(folder) / "saxpy.json";
    if (std::filesystem::exists(file))
      return std::make_shared<kerntune::SpecProgram>(kerntune::load_spec_file(file.string()));
  }
  throw std::runtime_error("saxpy.json is in no folder of the plugin search path; set KERNTUNE_PLUGIN_PATH");
}

/// As the engine sees a device of this architecture.
TuningContext context_of(std::shared_ptr<const kerntune::SpecProgram> program, int architecture) {
  TuningContext context;
  context.program = std::move(program);
  context.device.kind = kerntune::DeviceKind::cuda;
  context.device.arch = fmt::format("sm_{}", architecture);
  context.device.properties = kerntune::architecture_limits(architecture).value();
  context.device.properties.sm_count = 40;  // of a board, which no default may depend on
  context.device.properties.l2_bytes = 4 << 20;
  return context;
}

int samples() {
  const char* text = std::getenv("KERNTUNE_COMPILE_SAMPLES");
  return text == nullptr ? 1 : std::atoi(text);
}

/// Registers, spilled and shared bytes of the defaults: kernel and entry, architecture, what the table says.
class FactsTable : public testing::Environment {
 public:
  void add(const std::string& entry, int architecture, const EntryFacts& facts, std::int64_t shared) {
    cells_[entry][architecture] =
        fmt::format("{}, {}, {}", facts.regs, facts.spill_store_bytes + facts.spill_load_bytes, shared);
  }
  void TearDown() override {
    const char* path = std::getenv("KERNTUNE_FACTS_FILE");
    if (path == nullptr || cells_.empty()) return;
    std::ofstream file(path);
    std::string head = "| entry |", rule = "|---|";
    for (const int architecture : kerntune::nvrtc::architectures()) {
      if (!kerntune::architecture_limits(architecture)) continue;
      head += fmt::format(" sm_{} |", architecture);
      rule += "---|";
    }
    file << head << '\n' << rule << '\n';
    for (const auto& [entry, cells] : cells_) {
      file << "| " << entry << " |";
      for (const auto& [architecture, text] : cells) file << ' ' << text << " |";
      file << '\n';
    }
    EXPECT_TRUE(file.good()) << path;
  }

 private:
  std::map<std::string, std::map<int, std::string>> cells_;
};

FactsTable& facts_table() {
  static auto* const table = new FactsTable;  // GoogleTest owns it
  return *table;
}

class EveryArchitecture : public testing::TestWithParam<std::tuple<const char*, int>> {
 protected:
  void SetUp() override {
    std::string why;
    if (kerntune::nvrtc::version(&why).empty()) GTEST_SKIP() << why;
    const std::vector<int> known = kerntune::nvrtc::architectures();
    if (std::ranges::find(known, architecture()) == known.end())
      GTEST_SKIP() << "NVRTC " << kerntune::nvrtc::version() << " does not compile for sm_" << architecture();
    context_ = context_of(program_of(kernel()), architecture());
    dims_ = context_.program->complete_dims({});
  }
  static std::string kernel() { return std::get<0>(GetParam()); }
  static int architecture() { return std::get<1>(GetParam()); }

  std::string text(const Config& config) const { return context_.program->space().text(config); }

  /// The module, after looking at what holds for any configuration.
  CompiledModule compiled(const Config& config, const StaticView& view) const {
    const auto& code = std::get<SourceCode>(context_.program->spec().code);
    auto module = kerntune::nvrtc::compile(kerntune::compile_job(code, view.compile, context_.device.arch));
    if (!module) {
      ADD_FAILURE() << text(config) << ": " << module.error().message;
      return {};
    }
    for (const auto& [entry, facts] : module->entries) {
      EXPECT_GT(facts.regs, 0) << entry;
      EXPECT_LE(facts.regs, view.compile.register_cap > 0 ? view.compile.register_cap : 255) << entry;
      EXPECT_LE(facts.static_shared_bytes, context_.device.properties.shared_per_block) << entry;
    }
    const auto fits = check_compiled(context_, view, *module);
    EXPECT_TRUE(fits) << text(config) << ": " << fits.error().message;
    return std::move(*module);
  }

  static std::int64_t dynamic_shared(const StaticView& view, const std::string& entry) {
    for (const kerntune::LaunchPlan& launch : view.launches)
      if (launch.entry == entry) return launch.shared_bytes;
    return 0;
  }

  TuningContext context_;
  Dims dims_;
};

TEST_P(EveryArchitecture, CompilesTheDefaultWithoutSpills) {
  const Config config = context_.program->default_config();
  const auto view = static_filter(context_, config, dims_);
  ASSERT_TRUE(view) << view.error().message;
  for (const auto& [entry, facts] : compiled(config, *view).entries) {
    EXPECT_EQ(facts.spill_store_bytes + facts.spill_load_bytes, 0) << entry;
    const std::string name = entry == kernel() ? entry : fmt::format("{}: {}", kernel(), entry);
    facts_table().add(name, architecture(), facts, facts.static_shared_bytes + dynamic_shared(*view, entry));
  }
}

TEST_P(EveryArchitecture, CompilesWhatTheStaticFilterLetsThrough) {
  kerntune::search::Rng rng(static_cast<std::uint64_t>(architecture()));  // other configurations for each
  int turned_down = 0;
  for (int left = samples(); left > 0;) {
    const Config config = context_.program->space().sample(rng);
    const auto view = static_filter(context_, config, dims_);
    if (view) {
      (void)compiled(config, *view);
      --left;
      continue;
    }
    EXPECT_THAT(view.error().reason, AnyOf(Reason::not_applicable, Reason::device_limit)) << view.error().message;
    EXPECT_FALSE(view.error().message.empty());
    ASSERT_LT(++turned_down, 1000 * samples()) << "hardly anything of the space is for sm_" << architecture();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, EveryArchitecture,
    testing::Combine(testing::ValuesIn(kKernels),
                     testing::ValuesIn(kerntune::known_architectures().begin(), kerntune::known_architectures().end())),
    [](const auto& chosen) { return fmt::format("{}_sm_{}", std::get<0>(chosen.param), std::get<1>(chosen.param)); });

TEST(ShippedKernels, AreAllOfThemCompiled) {
  const auto has_sgemm = [](const std::string& folder) {
    return std::filesystem::exists(std::filesystem::path(folder) / "sgemm.so");
  };
  const auto folders = kerntune::plugin_search_path();
  const auto folder = std::ranges::find_if(folders, has_sgemm);
  ASSERT_NE(folder, folders.end());
  for (const auto& file : std::filesystem::directory_iterator(*folder)) {
    if (file.path().extension() != ".so") continue;
    const kerntune::PluginLibrary library = kerntune::PluginLibrary::open(file.path().string());
    for (const auto& kernel : library.kernels()) {
      if (kernel.spec().is_source()) {
        EXPECT_THAT(kKernels, testing::Contains(kernel.spec().name));
      }
    }
  }
}

/// What the filter says of a configuration on an architecture; nothing if it lets it through.
std::optional<Reason> refused(const char* kernel, const std::string& config, int architecture) {
  const TuningContext context = context_of(program_of(kernel), architecture);
  const auto view = static_filter(context, context.program->space().parse(config), context.program->complete_dims({}));
  return view ? std::nullopt : std::optional(view.error().reason);
}

TEST(ShippedKernels, AsyncCopiesAreForArchitecturesThatHaveThem) {
  const std::string config =
      "block_m=64,block_n=64,block_k=16,thread_m=4,thread_n=4,mapping=blocked,vec=4,stages=3,pad=0,min_blocks=0,"
      "split_k=1,group_m=1";
  for (const int architecture : kerntune::known_architectures())
    EXPECT_EQ(refused("sgemm", config, architecture),
              architecture < 80 ? std::optional(Reason::not_applicable) : std::nullopt)
        << architecture;
}

TEST(ShippedKernels, RowsInSharedMemoryAreForArchitecturesWithRoomForThem) {
  const std::string config = "block_x=128,rows=4,vec=4,method=shared,unroll=1,fast_exp=false";  // 4 rows of 32 KiB
  const std::set<int> roomy{80, 90, 100};
  for (const int architecture : kerntune::known_architectures())
    EXPECT_EQ(refused("row_softmax", config, architecture),
              roomy.contains(architecture) ? std::nullopt : std::optional(Reason::not_applicable))
        << architecture;
}

/// ptxas knows two of the limits itself: it drops a wish for more blocks than a multiprocessor holds, and says so.
TEST(ArchitectureLimits, AgreeWithTheCompiler) {
  const std::vector<int> known = kerntune::nvrtc::architectures();
  if (known.empty()) GTEST_SKIP() << "no NVRTC";
  const auto drops = [](int architecture, std::int64_t threads, std::int64_t blocks) {
    kerntune::CompileJob job;
    job.file = "bounds.cu";
    job.source = fmt::format("extern \"C\" __global__ void __launch_bounds__({}, {}) k(float* x) {{ x[1] = x[0]; }}",
                             threads, blocks);
    job.entries = {"k"};
    job.arch = fmt::format("sm_{}", architecture);
    const auto module = kerntune::nvrtc::compile(job);
    if (!module) throw std::runtime_error(module.error().message);
    return module->log.find("will be ignored") != std::string::npos;
  };
  for (const int architecture : kerntune::known_architectures()) {
    if (std::ranges::find(known, architecture) == known.end()) continue;
    const auto limits = kerntune::architecture_limits(architecture).value();
    const std::int64_t of_threads = limits.max_threads_per_sm / 512, of_blocks = limits.max_blocks_per_sm;
    EXPECT_FALSE(drops(architecture, 512, of_threads)) << architecture;
    EXPECT_TRUE(drops(architecture, 512, of_threads + 1)) << architecture;
    EXPECT_FALSE(drops(architecture, 32, of_blocks)) << architecture;
    EXPECT_TRUE(drops(architecture, 32, of_blocks + 1)) << architecture;
  }
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::AddGlobalTestEnvironment(&facts_table());
  return RUN_ALL_TESTS();
}
