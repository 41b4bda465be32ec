// pinwheel opens repositories of this machine alone. What libgit2 needs to reach others is defined
// here and does nothing, so that the linker takes none of it from the archive: no HTTP, no TLS, no
// SSH and no Kerberos. A name that another libgit2 defines elsewhere stops the link.
namespace {

constexpr int kFails = -1;

}  // namespace

extern "C" {

// transports/http.c, transports/ssh.c
bool git_http__expect_continue = false;
int git_smart_subtransport_http(void** /*out*/, void* /*owner*/, void* /*parameter*/) {
  return kFails;
}
int git_smart_subtransport_ssh(void** /*out*/, void* /*owner*/, void* /*parameter*/) {
  return kFails;
}
int git_transport_ssh_global_init() {
  return 0;
}

// streams/mbedtls.c
int git_mbedtls_stream_global_init() {
  return 0;
}
int git_mbedtls__set_cert_location(const char* /*file*/, const char* /*path*/) {
  return kFails;
}
int git_mbedtls_stream_new(void** /*out*/, const char* /*host*/, const char* /*port*/) {
  return kFails;
}
int git_mbedtls_stream_wrap(void** /*out*/, void* /*in*/, const char* /*host*/) {
  return kFails;
}
}
