// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <kerntune/search/param_space.hpp>

namespace kerntune::search::detail {

/// How alike two configurations are, in (0, 1]: (1 + d)^-4, where d is the mean over the parameters with several values
/// of 0 if equal, else 0.3 plus the distance of the value indices as a fraction of the largest possible (1 for values
/// that are not numbers: they have no order).
///
/// A valid covariance: d is a sum of distances of which exp(-s d) is one for every s > 0, and (1 + d)^-4 is a mixture
/// of those over a gamma distribution of s. Only operations that IEEE 754 rounds exactly, so that proposals do not
/// depend on the machine's exp().
class Similarity {
 public:
  explicit Similarity(const ParamSpace& space);
  double operator()(const Config& a, const Config& b) const noexcept;

 private:
  struct Distance {
    double differs = 0;
    double per_step = 0;
  };
  std::vector<Distance> distances_;  // already divided by the number of parameters that count
};

/// Gaussian process regression with a fixed covariance, zero prior mean and unit variance, grown a point at a time
/// (Rasmussen, Williams, "Gaussian Processes for Machine Learning", 2006, algorithm 2.1).
/// Cost: n points: add() and set_targets() n²/2 multiplications, project() n per point it has not seen.
class GaussianProcess {
 public:
  /// A place to predict, with the work done for it so far.
  struct Candidate {
    Config config;
    std::vector<double> weights;  // L⁻¹ k(points, config)
  };
  struct Prediction {
    double mean = 0;
    double deviation = 1;
  };

  explicit GaussianProcess(Similarity similarity) : similarity_(std::move(similarity)) {}

  std::size_t size() const noexcept { return points_.size(); }
  void add(const Config& config);
  /// Requires: one target per point, in the order they were added.
  void set_targets(std::span<const double> targets);
  /// Requires: set_targets() since the last add().
  Prediction predict(Candidate& candidate) const;

 private:
  void project(Candidate& candidate) const;

  Similarity similarity_;
  std::vector<Config> points_;
  std::vector<std::vector<double>> rows_;  // Cholesky factor L of the covariance plus noise, lower triangle by rows
  std::vector<double> solved_;             // L⁻¹ targets
};

}  // namespace kerntune::search::detail
