# What a proposal costs, and a program that scores the strategies on recorded spaces.
find_package(nlohmann_json REQUIRED)

add_executable(strategy_bench strategy_bench.cpp)
target_link_libraries(strategy_bench PRIVATE kerntune_search kerntune_warnings benchmark::benchmark_main)

add_executable(strategy_score strategy_score.cpp)
target_link_libraries(strategy_score PRIVATE kerntune_strategy_recording kerntune_warnings nlohmann_json::nlohmann_json)
