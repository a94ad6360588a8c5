// SPDX-License-Identifier: Apache-2.0
#include "served_final.hpp"

#include <string>

#include "proof.hpp"
#include "row_check.hpp"

namespace kerntune::storage {
namespace {

// LEFT: a winner whose context is lost then shows as damage instead of vanishing.
constexpr char kAll[] =
    "SELECT c.kernel, c.device_class, f.other_dims, c.policy, f.batch, c.code_digest, c.toolchain, f.space_digest, "
    "f.reference_digest, f.finished_unix_us, f.id, f.config, f.default_config, f.time_ns, f.served_check, "
    "f.verified, (SELECT e.proven FROM evaluation AS e WHERE e.context = f.context AND e.config = f.config) "
    "FROM final AS f NOT INDEXED LEFT JOIN context AS c ON c.id = f.context";

}  // namespace

std::int64_t served_check(const ServedFinal& s) noexcept {
  RowCheck check;
  check.add(s.kernel).add(s.device_class).add(s.other_dims).add(s.policy).add(s.batch);
  check.add(s.code_digest)
      .add(s.toolchain)
      .add(s.space_digest)
      .add(s.reference_digest)
      .add(s.finished_unix_us)
      .add(s.id);
  check.add(s.config).add(s.default_config).add(s.time_ns).add(s.verified);
  return check.value();
}

ServedFinals::ServedFinals(sqlite::Connection& db) : rows_(db.query(kAll)) {}

ServedFinal ServedFinals::row() const {
  ServedFinal served;
  served.kernel = rows_.text(0);
  served.device_class = rows_.text(1);
  served.other_dims = rows_.text(2);
  served.policy = rows_.text(3);
  served.batch = rows_.integer(4);
  served.code_digest = rows_.text(5);
  served.toolchain = rows_.text(6);
  served.space_digest = rows_.text(7);
  served.reference_digest = rows_.text(8);
  served.finished_unix_us = rows_.integer(9);
  served.id = rows_.blob(10);
  served.config = rows_.text(11);
  served.default_config = rows_.text(12);
  served.time_ns = rows_.real(13);
  served.verified = rows_.text(15);
  const auto damaged = [&](const char* how) {
    sqlite::throw_damaged("the winner of kernel '" + std::string(served.kernel) + "' at batch " +
                          std::to_string(served.batch) + how);
  };
  if (rows_.integer(14) != served_check(served)) damaged(" does not match its check");
  if (!is_proof(served.verified) || rows_.optional_integer(16).value_or(0) != 1)
    damaged(" has no proven evaluation behind it");
  return served;
}

}  // namespace kerntune::storage
