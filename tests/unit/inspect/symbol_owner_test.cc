#include "inspect/symbol_owner.h"

#include "unit/catch.h"

namespace pinwheel::inspect {
namespace {

TEST_CASE("names in torch's namespaces and its C shims are torch's") {
  for (const char* const name :
       {"_ZNK2at10TensorBase3dimEv", "_ZTVN3c105ErrorE", "_ZTIN5torch8autograd4NodeE",
        "_ZThn16_N2at6Tensor4dataEv", "_ZN6caffe28TypeMeta12typeMetaDatasEv", "_ZGVN3c103fooE",
        "_ZNSt6vectorIN2at6TensorESaIS1_EE17_M_realloc_insertEv", "aoti_torch_abi_version",
        "torch_call_dispatcher"}) {
    CHECK(symbol_owner(name) == SymbolOwner::torch);
  }
}

TEST_CASE("names that only mention torch's types have no owner") {
  CHECK(symbol_owner("_Z35split_embedding_codegen_forward_cpuN2at6TensorE") ==
        SymbolOwner::anybody);
  CHECK(symbol_owner("_ZN8internal7csr2cscIlfEEvN5torch6headerE") == SymbolOwner::anybody);
  CHECK(symbol_owner("_Z7missingv") == SymbolOwner::anybody);
  CHECK(symbol_owner("cpuinfo_initialize") == SymbolOwner::anybody);
  CHECK(symbol_owner("cursor_move") == SymbolOwner::anybody);
  CHECK(symbol_owner("") == SymbolOwner::anybody);
  CHECK(symbol_owner("_Z") == SymbolOwner::anybody);
}

TEST_CASE("the interpreter, GPU libraries, OpenMP and system libraries are distinguished") {
  CHECK(symbol_owner("_Py_NoneStruct") == SymbolOwner::interpreter);
  CHECK(symbol_owner("PyErr_SetString") == SymbolOwner::interpreter);
  CHECK(symbol_owner("cudaMalloc") == SymbolOwner::gpu);
  CHECK(symbol_owner("__cudaRegisterFatBinary") == SymbolOwner::gpu);
  CHECK(symbol_owner("cuMemAlloc_v2") == SymbolOwner::gpu);
  CHECK(symbol_owner("hipLaunchKernel") == SymbolOwner::gpu);
  CHECK(symbol_owner("omp_get_thread_num") == SymbolOwner::openmp);
  CHECK(symbol_owner("_ZSt21ios_base_library_initv") == SymbolOwner::cxx_runtime);
  CHECK(symbol_owner("_ZNKRSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE3strEv") ==
        SymbolOwner::cxx_runtime);
  CHECK(symbol_owner("_Znwm") == SymbolOwner::cxx_runtime);
  CHECK(symbol_owner("__gxx_personality_v0") == SymbolOwner::cxx_runtime);
  CHECK(symbol_owner("_Unwind_Resume") == SymbolOwner::cxx_runtime);
  CHECK(symbol_owner("shm_open") == SymbolOwner::c_library);
  CHECK(symbol_owner("dlsym") == SymbolOwner::c_library);
  CHECK(symbol_owner("powf") == SymbolOwner::c_library);
}

TEST_CASE("the shims of the Stable ABI are identified by their prefixes") {
  CHECK(is_stable_shim("aoti_torch_get_data_ptr"));
  CHECK(is_stable_shim("torch_library_impl"));
  CHECK_FALSE(is_stable_shim("_ZN5torch7Library4_defEv"));
  CHECK_FALSE(is_stable_shim("torchcodec_open"));
}

}  // namespace
}  // namespace pinwheel::inspect
