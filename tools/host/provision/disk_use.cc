#include "host/provision/disk_use.h"

#include <sys/stat.h>

#include <system_error>

namespace pinwheel::host {

namespace fs = std::filesystem;

DiskUses::DiskUses(const std::vector<fs::path>& directories) : files_(directories.size()) {
  for (size_t i = 0; i < directories.size(); ++i) {
    std::error_code failed;
    for (fs::recursive_directory_iterator at(directories[i], failed), end; !failed && at != end;
         at.increment(failed)) {
      struct stat status = {};
      if (::lstat(at->path().c_str(), &status) != 0 || S_ISDIR(status.st_mode)) continue;
      File& file = files_[i][{status.st_dev, status.st_ino}];
      file.size = static_cast<uint64_t>(status.st_size);
      file.links = status.st_nlink;
      ++file.seen;
    }
  }
}

DiskUse DiskUses::of(size_t directory) const {
  DiskUse use;
  for (const auto& [inode, file] : files_.at(directory)) {
    (file.seen < file.links ? use.shared : use.own) += file.size;
  }
  return use;
}

uint64_t DiskUses::total() const {
  std::map<Inode, uint64_t> all;
  for (const auto& files : files_) {
    for (const auto& [inode, file] : files) all[inode] = file.size;
  }
  uint64_t sum = 0;
  for (const auto& [inode, size] : all) sum += size;
  return sum;
}

uint64_t DiskUses::freed_by(const std::vector<size_t>& directories) const {
  std::map<Inode, File> all;
  for (const size_t directory : directories) {
    for (const auto& [inode, file] : files_.at(directory)) {
      File& sum = all.emplace(inode, File{file.size, file.links, 0}).first->second;
      sum.seen += file.seen;
    }
  }
  uint64_t freed = 0;
  for (const auto& [inode, file] : all) freed += file.seen < file.links ? 0 : file.size;
  return freed;
}

}  // namespace pinwheel::host
