# The script that signs and its packages are embedded in the program: one file to install, no lookup of another.
set(ATTESTATION_SOURCE ${PROJECT_SOURCE_DIR}/tools/publish/attestations.py)
set(ATTESTATION_LOCK ${PROJECT_SOURCE_DIR}/tools/publish/attestations.lock)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ATTESTATION_SOURCE} ${ATTESTATION_LOCK})
file(READ ${ATTESTATION_SOURCE} ATTESTATION_SCRIPT)
file(READ ${ATTESTATION_LOCK} ATTESTATION_PACKAGES)
configure_file(
  ${PROJECT_SOURCE_DIR}/tools/publish/attestation_script.cc.in
  ${PROJECT_BINARY_DIR}/attestation_script.cc
  @ONLY)
target_sources(pw_publish PRIVATE ${PROJECT_BINARY_DIR}/attestation_script.cc)
