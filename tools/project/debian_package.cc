#include "project/debian_package.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace pinwheel::project {
namespace {

/// A library by the names of build systems and of distributions, in lower case without `lib` and
/// `-devel`.
struct Library {
  std::string_view name;
  std::string_view package;  ///< of Debian
};

constexpr std::array kLibraries = {Library{"z", "zlib1g-dev"},
                                   Library{"zlib", "zlib1g-dev"},
                                   Library{"bz2", "libbz2-dev"},
                                   Library{"bzip2", "libbz2-dev"},
                                   Library{"lzma", "liblzma-dev"},
                                   Library{"xz", "liblzma-dev"},
                                   Library{"zstd", "libzstd-dev"},
                                   Library{"lz4", "liblz4-dev"},
                                   Library{"snappy", "libsnappy-dev"},
                                   Library{"brotli", "libbrotli-dev"},
                                   Library{"openssl", "libssl-dev"},
                                   Library{"ssl", "libssl-dev"},
                                   Library{"crypto", "libssl-dev"},
                                   Library{"ffi", "libffi-dev"},
                                   Library{"sodium", "libsodium-dev"},
                                   Library{"curl", "libcurl4-openssl-dev"},
                                   Library{"xml2", "libxml2-dev"},
                                   Library{"xml-2.0", "libxml2-dev"},
                                   Library{"xslt", "libxslt1-dev"},
                                   Library{"yaml", "libyaml-dev"},
                                   Library{"yaml-0.1", "libyaml-dev"},
                                   Library{"expat", "libexpat1-dev"},
                                   Library{"sqlite3", "libsqlite3-dev"},
                                   Library{"sqlite", "libsqlite3-dev"},
                                   Library{"pq", "libpq-dev"},
                                   Library{"postgresql", "libpq-dev"},
                                   Library{"jpeg", "libjpeg-dev"},
                                   Library{"jpeg-turbo", "libjpeg-dev"},
                                   Library{"png", "libpng-dev"},
                                   Library{"tiff", "libtiff-dev"},
                                   Library{"webp", "libwebp-dev"},
                                   Library{"freetype", "libfreetype-dev"},
                                   Library{"freetype2", "libfreetype-dev"},
                                   Library{"blas", "libopenblas-dev"},
                                   Library{"lapack", "libopenblas-dev"},
                                   Library{"openblas", "libopenblas-dev"},
                                   Library{"scipy-openblas", "libopenblas-dev"},
                                   Library{"fftw3", "libfftw3-dev"},
                                   Library{"fftw", "libfftw3-dev"},
                                   Library{"gsl", "libgsl-dev"},
                                   Library{"hdf5", "libhdf5-dev"},
                                   Library{"netcdf", "libnetcdf-dev"},
                                   Library{"eigen3", "libeigen3-dev"},
                                   Library{"boost", "libboost-dev"},
                                   Library{"zmq", "libzmq3-dev"},
                                   Library{"zeromq", "libzmq3-dev"},
                                   Library{"uv", "libuv1-dev"},
                                   Library{"protobuf", "libprotobuf-dev"},
                                   Library{"gmp", "libgmp-dev"},
                                   Library{"mpfr", "libmpfr-dev"},
                                   Library{"geos", "libgeos-dev"},
                                   Library{"geos_c", "libgeos-dev"},
                                   Library{"proj", "libproj-dev"},
                                   Library{"gdal", "libgdal-dev"},
                                   Library{"opencv", "libopencv-dev"},
                                   Library{"sndfile", "libsndfile1-dev"},
                                   Library{"asound", "libasound2-dev"},
                                   Library{"avcodec", "libavcodec-dev"},
                                   Library{"avformat", "libavformat-dev"},
                                   Library{"avutil", "libavutil-dev"},
                                   Library{"usb-1.0", "libusb-1.0-0-dev"},
                                   Library{"krb5", "libkrb5-dev"},
                                   Library{"ldap", "libldap-dev"},
                                   Library{"ncurses", "libncurses-dev"},
                                   Library{"readline", "libreadline-dev"},
                                   Library{"tbb", "libtbb-dev"},
                                   Library{"mpi", "libopenmpi-dev"},
                                   Library{"cairo", "libcairo2-dev"},
                                   Library{"re2", "libre2-dev"},
                                   Library{"gflags", "libgflags-dev"},
                                   Library{"glog", "libgoogle-glog-dev"},
                                   Library{"ffitarget", "libffi-dev"},
                                   Library{"bzlib", "libbz2-dev"},
                                   Library{"pq-fe", "libpq-dev"},
                                   Library{"jpeglib", "libjpeg-dev"},
                                   Library{"mpc", "libmpc-dev"},
                                   Library{"leveldb", "libleveldb-dev"},
                                   Library{"sasl", "libsasl2-dev"},
                                   Library{"mariadb", "libmariadb-dev"},
                                   Library{"mysqlclient", "libmariadb-dev"},
                                   Library{"odbc", "unixodbc-dev"},
                                   Library{"portaudio", "portaudio19-dev"},
                                   Library{"dbus-1", "libdbus-1-dev"},
                                   Library{"glib-2.0", "libglib2.0-dev"},
                                   Library{"memcached", "libmemcached-dev"}};

}  // namespace

std::string plain_library_name(std::string_view library) {
  std::string name = to_lower(library);
  for (const std::string_view suffix : {"-devel", "-dev"}) {
    if (name.ends_with(suffix)) name.resize(name.size() - suffix.size());
  }
  return name.starts_with("lib") ? name.substr(3) : name;
}

std::string debian_package(std::string_view library) {
  const auto* const found =
      std::ranges::find(kLibraries, plain_library_name(library), &Library::name);
  return found == kLibraries.end() ? std::string() : std::string(found->package);
}

}  // namespace pinwheel::project
