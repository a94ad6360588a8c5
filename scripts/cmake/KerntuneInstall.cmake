# Install rules by component, and the package: find_package(kerntune COMPONENTS query|plugin|tools).
#   query    the production reader: one static library and its headers; its only dependency is SQLite
#   plugin   the ABI header, the C++ kit and kerntune_add_plugin()
#   tools    the program and our own plugins
# Each component installs alone: cmake --install build/release --component query --prefix DIR
include(CMakePackageConfigHelpers)
set(kerntune_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/kerntune)

configure_package_config_file(scripts/cmake/kerntuneConfig.cmake.in kerntuneConfig.cmake INSTALL_DESTINATION ${kerntune_package_dir})
write_basic_package_version_file(kerntuneConfigVersion.cmake COMPATIBILITY SameMinorVersion)

# The package files go with every component, the targets with their own.
function(kerntune_install_component component)
  install(EXPORT kerntune-${component} FILE kerntune-${component}-targets.cmake NAMESPACE kerntune::
    DESTINATION ${kerntune_package_dir} COMPONENT ${component})
  install(FILES ${PROJECT_BINARY_DIR}/kerntuneConfig.cmake ${PROJECT_BINARY_DIR}/kerntuneConfigVersion.cmake
    DESTINATION ${kerntune_package_dir} COMPONENT ${component})
endfunction()

# How we compile ourselves is no business of who links the library.
get_target_property(interface kerntune_query INTERFACE_LINK_LIBRARIES)
list(REMOVE_ITEM interface "$<LINK_ONLY:kerntune_warnings>")
set_target_properties(kerntune_query PROPERTIES INTERFACE_LINK_LIBRARIES "${interface}")
target_compile_features(kerntune_query INTERFACE cxx_std_17)
install(TARGETS kerntune_query EXPORT kerntune-query COMPONENT query
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
kerntune_install_component(query)

if(KERNTUNE_BUILD_ENGINE)
  install(TARGETS kerntune_plugin_abi kerntune_plugin_sdk EXPORT kerntune-plugin COMPONENT plugin
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  set(kit plugins/sdk/cmake)
  install(FILES ${kit}/KerntunePlugin.cmake ${kit}/KerntuneEmbed.cmake ${kit}/kerntune_plugin.map scripts/check_exports.sh
    DESTINATION ${kerntune_package_dir} COMPONENT plugin)
  kerntune_install_component(plugin)

  # The program looks for plugins in ../lib/kerntune/plugins beside itself, whatever the distribution calls its library folder.
  install(TARGETS kerntune EXPORT kerntune-tools RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
  get_property(plugins GLOBAL PROPERTY KERNTUNE_SHIPPED_PLUGINS)
  if(plugins)
    install(TARGETS ${plugins} LIBRARY DESTINATION lib/kerntune/plugins COMPONENT tools)
  endif()
  kerntune_install_component(tools)
endif()
