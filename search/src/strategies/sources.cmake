target_sources(kerntune_search PRIVATE
  src/strategies/ask_tell.cpp
  src/strategies/exhaustive.cpp
  src/strategies/gaussian_process.cpp
  src/strategies/local.cpp
  src/strategies/model.cpp
  src/strategies/random.cpp
  src/strategies/rank_model.cpp
  src/strategies/registry.cpp
  src/strategies/shuffle.cpp)
# Fused multiply-adds would round differently on machines that have them: the same seed must search the same way.
set_source_files_properties(src/strategies/gaussian_process.cpp src/strategies/model.cpp src/strategies/rank_model.cpp PROPERTIES COMPILE_OPTIONS -ffp-contract=off)
