#include <ATen/ops/max.h>
#include <ATen/ops/min.h>
#include <ATen/ops/sub.h>
#include <Python.h>
#include <torch/library.h>

static at::Tensor spread(const at::Tensor& numbers) {
  TORCH_CHECK(numbers.dim() == 1, "spread: 1-D wanted, got ", numbers.dim(), "-D");
  TORCH_CHECK(numbers.numel() > 0, "spread: no numbers");
  return at::sub(at::max(numbers), at::min(numbers));
}

TORCH_LIBRARY(classic_extension, m) {
  m.def("spread(Tensor numbers) -> Tensor", &spread);
}

static PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT, "_C", nullptr, 0, nullptr, nullptr, nullptr, nullptr, nullptr};

// The operator registers itself when the library is loaded; the module exists for `import`.
PyMODINIT_FUNC PyInit__C() {
  return PyModule_Create(&module_definition);
}
