// Division by multiplication, compared with hardware division.

#include "index/divider.h"

#include <initializer_list>
#include <random>

#include "check.h"

using namespace pinwheel;

namespace {

void quotient_and_remainder_are_exact(uint64_t divisor, uint64_t number) {
  const Divider divider(divisor);
  CHECK(divider.quotient(number) == number / divisor);
  CHECK(divider.remainder(number) == number % divisor);
}

void edges() {
  const uint64_t top = uint64_t{1} << 63;
  for (const uint64_t divisor :
       {uint64_t{1}, uint64_t{2}, uint64_t{3}, uint64_t{7}, uint64_t{8}, uint64_t{641}, top - 1,
        top, top + 1, ~uint64_t{0} - 1, ~uint64_t{0}}) {
    for (const uint64_t base : {uint64_t{0}, divisor, divisor * 2, top, ~uint64_t{0}}) {
      for (const int shift : {-2, -1, 0, 1, 2}) {
        quotient_and_remainder_are_exact(divisor, base + static_cast<uint64_t>(shift));
      }
    }
  }
}

void random_numbers() {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200000; ++round) {
    const uint64_t divisor = (random() >> random() % 64) | 1;
    quotient_and_remainder_are_exact(divisor + random() % 2 * (divisor < ~uint64_t{0}),
                                     random() >> random() % 64);
  }
}

}  // namespace

int main() {
  edges();
  random_numbers();
}
