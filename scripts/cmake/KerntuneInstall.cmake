# Install rules and the package config; see scripts/cmake/kerntuneConfig.cmake.in.
