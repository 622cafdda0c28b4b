# minerva_qml_module(NAME URI [SINGLETONS file...] [RESOURCES file...]): makes the static QML module URI from all *.qml of the
# current folder. Pure QML, found through the import path qrc:/qt/qml, without a plugin.
function(minerva_qml_module name uri)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "SINGLETONS;RESOURCES")
  file(GLOB files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *.qml)
  set_source_files_properties(${arg_SINGLETONS} PROPERTIES QT_QML_SINGLETON_TYPE TRUE)
  string(REPLACE "." "/" path ${uri})
  qt_add_qml_module(${name}
    URI ${uri}
    VERSION 1.0
    STATIC
    NO_PLUGIN
    RESOURCE_PREFIX /qt/qml
    OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/qml/${path}
    QML_FILES ${files}
    RESOURCES ${arg_RESOURCES})
  target_link_libraries(${name} PRIVATE Qt6::Quick)
endfunction()
