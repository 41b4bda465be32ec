#include "jobs/pack_segments.h"

#include "gpu/device.h"

// Roofline: memory. The mask is one byte per packed row and is written once, one thread per byte;
// the rows themselves, which are nearly all of the bytes, are moved by jagged.cu.

namespace pinwheel {
namespace pack_segments_kernels {

using namespace gpu;

template <class Index>
struct Presence {
  PresenceJob<Index> job;
  PW_HD void operator()(int64_t i) const { presence_unit(job, i); }
};

}  // namespace pack_segments_kernels

using namespace pack_segments_kernels;

template <class Index>
void run_gpu(const PresenceJob<Index>& job, void* stream) {
  launch_units("pack_segments", Presence<Index>{job}, job.segments * job.max_length, stream);
}

template void run_gpu(const PresenceJob<int32_t>&, void*);
template void run_gpu(const PresenceJob<int64_t>&, void*);

}  // namespace pinwheel
