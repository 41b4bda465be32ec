#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyObject *triple(PyObject *self, PyObject *argument) {
  (void)self;
  long value = PyLong_AsLong(argument);
  if (value == -1 && PyErr_Occurred()) return NULL;
  return PyLong_FromLong(3 * value);
}

static PyObject *flavor(PyObject *self, PyObject *unused) {
  (void)self;
  (void)unused;
  return PyUnicode_FromString(TINY_FLAVOR);
}

static PyMethodDef methods[] = {{"triple", triple, METH_O, "Three times a number."},
                                {"flavor", flavor, METH_NOARGS, "What it was built as."},
                                {NULL, NULL, 0, NULL}};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_native", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__native(void) { return PyModule_Create(&module); }
