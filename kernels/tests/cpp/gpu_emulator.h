#pragma once

// Runs the GPU kernels on the CPU, so that their logic (not their speed, nor the vendors'
// compilers) is tested without a GPU. Each thread of a block is a fiber; blocks run one after the
// other. A fiber runs until it reaches a barrier or a shuffle, and waits there for all others of
// its block or group. A group of lanes runs as far as it can before the next one starts, which
// exposes missing barriers; so does the reverse order, which a library built with the emulator uses
// if PINWHEEL_THREAD_ORDER is `falling`.

#include <ucontext.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#define __global__
#define __device__
#define __shared__ static  // blocks run one at a time
#define __launch_bounds__(...)

// Fibers switch with the compiler's builtin jumps: ucontext would make a system call at every
// switch, and so does AddressSanitizer at every jump that it intercepts.
#define PW_JUMPS __attribute__((noinline, no_sanitize("address")))

struct EmulatedIndex {
  unsigned x = 0;
};
inline EmulatedIndex threadIdx;
inline EmulatedIndex blockIdx;
inline EmulatedIndex gridDim;

namespace pinwheel::gpu {

enum class ThreadOrder { kRising, kFalling };

inline ThreadOrder wanted_order() {
  const char* const said = std::getenv("PINWHEEL_THREAD_ORDER");
  return said != nullptr && std::strcmp(said, "falling") == 0 ? ThreadOrder::kFalling
                                                              : ThreadOrder::kRising;
}

class Emulator {
  using JumpBuffer = void* [5];

 public:
  static Emulator& instance() {
    static Emulator emulator;
    return emulator;
  }

  ThreadOrder order = wanted_order();

  void run(int64_t blocks, int threads, const std::function<void()>& kernel) {
    kernel_ = &kernel;
    gridDim.x = static_cast<unsigned>(blocks);
    for (int64_t b = 0; b < blocks; ++b) {
      blockIdx.x = static_cast<unsigned>(b);
      run_block(threads);
    }
  }

  /// All threads of the block meet here.
  void barrier() { meet(0, static_cast<int>(fibers_.size())); }

  /// The number of lane `source` of this thread's group in the same exchange.
  template <class Number>
  Number exchange(Number number, int source) {
    const int self = current_;
    const int first = self / kGroup * kGroup;
    static_assert(sizeof(Number) <= sizeof(Slot::bytes));
    std::memcpy(fibers_[self]->slot.bytes, &number, sizeof(number));
    meet(first, kGroup);
    Number result;
    std::memcpy(&result, fibers_[first + source]->slot.bytes, sizeof(result));
    meet(first, kGroup);  // no slot is overwritten before it has been read
    return result;
  }

 private:
  struct Slot {
    alignas(8) unsigned char bytes[8] = {};
  };
  struct Fiber {
    ucontext_t context{};
    JumpBuffer place{};
    bool started = false;
    std::unique_ptr<char[]> stack;
    Slot slot;
    bool waits = false;
    bool done = false;
  };

  PW_JUMPS static void entry() {
    Emulator& emulator = instance();
    (*emulator.kernel_)();
    emulator.fibers_[emulator.current_]->done = true;
    __builtin_longjmp(emulator.scheduler_, 1);
  }

  /// Runs a fiber until it waits or ends.
  PW_JUMPS void resume(Fiber& fiber) {
    if (__builtin_setjmp(scheduler_) != 0) return;
    if (fiber.started) __builtin_longjmp(fiber.place, 1);
    fiber.started = true;
    setcontext(&fiber.context);
  }

  /// Waits for `count` fibers from `first` on; the last one to arrive releases the others and
  /// continues.
  PW_JUMPS void meet(int first, int count) {
    int& arrived = count == kGroup ? arrived_in_group_[first / kGroup] : arrived_in_block_;
    if (++arrived == count) {
      arrived = 0;
      for (int i = 0; i < count; ++i) fibers_[first + i]->waits = false;
      return;
    }
    Fiber& self = *fibers_[current_];
    self.waits = true;
    if (__builtin_setjmp(self.place) == 0) leave();
  }

  PW_JUMPS void leave() { __builtin_longjmp(scheduler_, 1); }

  void run_block(int threads) {
    constexpr size_t kStack = 64 * 1024;
    if (static_cast<int>(fibers_.size()) != threads) {
      fibers_.clear();
      for (int t = 0; t < threads; ++t) {
        fibers_.push_back(std::make_unique<Fiber>());
        fibers_.back()->stack.reset(new char[kStack]);
      }
    }
    for (const std::unique_ptr<Fiber>& fiber : fibers_) {
      fiber->waits = false;
      fiber->done = false;
      fiber->started = false;
      getcontext(&fiber->context);
      fiber->context.uc_stack.ss_sp = fiber->stack.get();
      fiber->context.uc_stack.ss_size = kStack;
      fiber->context.uc_link = nullptr;
      makecontext(&fiber->context, &Emulator::entry, 0);
    }
    arrived_in_block_ = 0;
    arrived_in_group_.assign(threads / kGroup, 0);
    const int groups = threads / kGroup;
    bool moved = true;
    while (moved) {
      moved = false;
      for (int step = 0; step < groups; ++step) {
        const int group = order == ThreadOrder::kRising ? step : groups - 1 - step;
        while (run_group(group * kGroup)) moved = true;
      }
    }
    for (const std::unique_ptr<Fiber>& fiber : fibers_) {
      if (fiber->done) continue;
      std::fprintf(stderr, "deadlock: some threads wait at a barrier that others never reach\n");
      std::abort();
    }
  }

  /// One round over the group's lanes; false if none of them can continue.
  bool run_group(int first) {
    bool moved = false;
    for (int step = 0; step < kGroup; ++step) {
      const int t = first + (order == ThreadOrder::kRising ? step : kGroup - 1 - step);
      Fiber& fiber = *fibers_[t];
      if (fiber.done || fiber.waits) continue;
      moved = true;
      current_ = t;
      threadIdx.x = static_cast<unsigned>(t);
      resume(fiber);
    }
    return moved;
  }

  static constexpr int kGroup = 32;

  int arrived_in_block_ = 0;
  std::vector<int> arrived_in_group_;
  JumpBuffer scheduler_{};
  const std::function<void()>* kernel_ = nullptr;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  int current_ = 0;
};

template <class Number>
Number shuffle_up(Number number, int distance) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  return Emulator::instance().exchange(number, lane >= distance ? lane - distance : lane);
}

template <class Number>
Number shuffle_xor(Number number, int mask) {
  return Emulator::instance().exchange(number, static_cast<int>(threadIdx.x) % 32 ^ mask);
}

template <class Number>
Number shuffle(Number number, int source) {
  return Emulator::instance().exchange(number, source);
}

inline void emulate(int64_t blocks, int threads, const std::function<void()>& kernel) {
  Emulator::instance().run(blocks, threads, kernel);
}

}  // namespace pinwheel::gpu

inline void __syncthreads() {
  pinwheel::gpu::Emulator::instance().barrier();
}

/// Fibers never switch inside an operation, so a plain addition is atomic.
template <class Word>
Word atomicAdd(Word* at, Word number) {
  const Word before = *at;
  *at = before + number;
  return before;
}

template <class Word>
Word atomicOr(Word* at, Word bits) {
  const Word before = *at;
  *at = before | bits;
  return before;
}
