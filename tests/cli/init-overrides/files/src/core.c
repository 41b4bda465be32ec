#include <Python.h>
#include <zfp.h>
