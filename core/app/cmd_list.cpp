// SPDX-License-Identifier: Apache-2.0
#include <kerntune/storage/result_store.hpp>

#include "common.hpp"

namespace kerntune::app {
namespace {

class ListCommand final : public Command {
 public:
  Verb describe() override {
    return {
        .name = "list",
        .summary = "List the winners that a store holds",
        .description = "The current winner for each kernel, device, toolchain, policy and size, and the latest runs.",
        .options =
            {{.names = "KERNEL", .value = "", .help = "Only this kernel", .target = &kernel_, .group = "arguments"},
             {.names = "--db", .value = "FILE", .help = kStoreHelp, .target = &db_}},
        .examples = {{"kerntune list --db tuned.db", "Everything"}},
        .units = "Times are per run of the kernel: text in the unit that fits, JSON in nanoseconds.",
        .exit_codes = "0 done, 1 the store holds no winner (of this kernel), 2 usage, 3 the store cannot be read",
    };
  }

  ExitCode run(const Console& console) override {
    report::StoreListing listing;
    listing.store = existing_store_path(db_);
    const auto store = storage::ResultStore::open(listing.store, storage::ResultStore::Mode::read_only);
    listing.finals = store.finals(kernel_);
    listing.runs = store.runs();
    if (!kernel_.empty())
      std::erase_if(listing.runs, [&](const storage::RunRecord& run) { return run.kernel != kernel_; });
    print(console.json ? report::list_json(listing) : report::list_text(listing, console.out));
    return listing.finals.empty() ? ExitCode::nothing_usable : ExitCode::done;
  }

 private:
  std::string kernel_, db_;
};

}  // namespace

std::unique_ptr<Command> make_list_command() { return std::make_unique<ListCommand>(); }

}  // namespace kerntune::app
