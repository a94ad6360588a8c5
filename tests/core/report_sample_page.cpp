// SPDX-License-Identifier: Apache-2.0
// report_sample_page FILE.html [BATCH...]: the page of the sample run.
#include <cstdlib>
#include <fstream>
#include <iostream>

#include <kerntune/core/report.hpp>

#include "report_sample.hpp"

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: report_sample_page FILE.html [BATCH...]\n";
    return 2;
  }
  std::vector<std::int64_t> batches;
  for (int i = 2; i < argc; ++i) batches.push_back(std::atoll(argv[i]));
  if (batches.empty()) batches = {1, 8, 64};
  std::ofstream page(argv[1], std::ios::binary);
  page << kerntune::report::tune_html(kerntune::testing::sample_report(batches), "kerntune tune sgemm --batch 1,8,64");
  page.close();
  return page ? 0 : 1;
}
