#include <torch/extension.h>
#define Py_LIMITED_API 0x030a0000
#define TORCH_TARGET_VERSION 0x020a000000000000
#include "own.h"
