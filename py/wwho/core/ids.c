/* wwho._ids: encoding without cffi, whose calls and conversions take as long as the core needs for a short text. */
#include <Python.h>

enum { SHORT_TEXT_BYTES = 1 << 10, KNOWN = 1 << 13 };

/* Numbers that were made before: most ids of a text are among the last few thousand. A list of them takes a third of the time, and
 * a fifth of the memory. Under the lock of the interpreter. */
static struct {
    uint32_t id;
    PyObject *number;
} known[KNOWN];

/* The number of an id. */
static PyObject *number_with(uint32_t id) {
    uint32_t at = id % KNOWN;
    if (!known[at].number || known[at].id != id) {
        PyObject *made = PyLong_FromUnsignedLong(id), *old = known[at].number;
        if (!made) return NULL;
        known[at].id = id;
        known[at].number = made;
        Py_XDECREF(old);
    }
    Py_INCREF(known[at].number);
    return known[at].number;
}

/* encode(model, job, text, allowed, flags): the ids that wwho_encode() gives; None where it gives none, or there may be too many. */
static PyObject *encode_ids(PyObject *self, PyObject *const *args, Py_ssize_t n_args) {
    (void)self;
    if (n_args != 5) return PyErr_Format(PyExc_TypeError, "expected 5 arguments");
    const wwho_model *model = PyLong_AsVoidPtr(args[0]);
    wwho_job *job = PyLong_AsVoidPtr(args[1]);
    char *text, *allowed = NULL;
    Py_ssize_t len;
    if (!model || !job || PyBytes_AsStringAndSize(args[2], &text, &len)) return NULL;
    if (args[3] != Py_None && !(allowed = PyBytes_AsString(args[3]))) return NULL;
    job->flags = PyObject_IsTrue(args[4]) ? WWHO_UNK_TOKEN : 0;
    if ((size_t)len > job->cap) Py_RETURN_NONE;
    PyThreadState *state = len > SHORT_TEXT_BYTES ? PyEval_SaveThread() : NULL;
    int status = wwho_encode(model, (const uint8_t *)text, (size_t)len, (const uint8_t *)allowed, job);
    if (state) PyEval_RestoreThread(state);
    if (status != WWHO_OK) Py_RETURN_NONE;
    PyObject *ids = PyList_New((Py_ssize_t)job->n);
    for (size_t i = 0; ids && i < job->n; i++) {
        PyObject *number = number_with(job->ids[i]);
        if (!number || PyList_SetItem(ids, (Py_ssize_t)i, number)) Py_CLEAR(ids);
    }
    return ids;
}

static PyMethodDef functions[] = {{"encode", (PyCFunction)(void (*)(void))encode_ids, METH_FASTCALL, NULL}, {NULL, NULL, 0, NULL}};

static struct PyModuleDef ids_module = {PyModuleDef_HEAD_INIT, "_ids", NULL, -1, functions, NULL, NULL, NULL, NULL};

/* In the library of wwho._core, from which native.py loads it. */
PyMODINIT_FUNC PyInit__ids(void) { return PyModule_Create(&ids_module); }
