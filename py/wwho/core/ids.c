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

static PyObject *address_name; /* "address" */

/* A call of the core, and the columns that it works in: they belong to it until it has ended. */
typedef struct {
    PyObject *free, *columns;
    wwho_job job;
} running;

/* Run the job of the last of the free columns. Returns 1 if it found what it should, 0 if it did not, -1 with an exception. */
static int begin(running *r, PyObject *const *args, bool count_only) {
    const wwho_model *model = PyLong_AsVoidPtr(args[0]);
    Py_ssize_t last = model ? PyList_Size(r->free = args[1]) - 1 : -1, len;
    char *text, *allowed = NULL;
    if (last < 0) return PyErr_Occurred() ? -1 : 0;
    r->columns = Py_NewRef(PyList_GetItem(r->free, last));
    PyObject *address = PyList_SetSlice(r->free, last, last + 1, NULL) ? NULL : PyObject_GetAttr(r->columns, address_name);
    const wwho_job *job = address ? PyLong_AsVoidPtr(address) : NULL;
    Py_XDECREF(address);
    if (!job || PyBytes_AsStringAndSize(args[2], &text, &len)) return -1;
    if (args[3] != Py_None && !(allowed = PyBytes_AsString(args[3]))) return -1;
    r->job = *job;
    r->job.flags = PyObject_IsTrue(args[4]) ? WWHO_UNK_TOKEN : 0;
    if (count_only) {
        r->job.ids = NULL;
        r->job.cap = WWHO_MAX_LENGTH;
    }
    if ((size_t)len > r->job.cap) return 0;
    PyThreadState *state = len > SHORT_TEXT_BYTES ? PyEval_SaveThread() : NULL;
    int status = wwho_encode(model, (const uint8_t *)text, (size_t)len, (const uint8_t *)allowed, &r->job);
    if (state) PyEval_RestoreThread(state);
    return status == WWHO_OK;
}

static PyObject *id_list(const wwho_job *job) {
    PyObject *ids = PyList_New((Py_ssize_t)job->n);
    for (size_t i = 0; ids && i < job->n; i++) {
        PyObject *number = number_with(job->ids[i]);
        if (!number || PyList_SetItem(ids, (Py_ssize_t)i, number)) Py_CLEAR(ids);
    }
    return ids;
}

static PyObject *id_bytes(const wwho_job *job) {
    return PyByteArray_FromStringAndSize((const char *)job->ids, (Py_ssize_t)(job->n * sizeof *job->ids));
}

static PyObject *number(const wwho_job *job) { return PyLong_FromSize_t(job->n); }

/* The arguments of each function: model, list of free columns, text, allowed, whether to write [UNK]. Returns None where the columns have
 * too little room, or there are none. */
static PyObject *call(PyObject *const *args, Py_ssize_t n_args, PyObject *result(const wwho_job *)) {
    if (n_args != 5) return PyErr_Format(PyExc_TypeError, "expected 5 arguments");
    running r = {NULL, NULL, {0}};
    int done = begin(&r, args, result == number);
    PyObject *found = done == 1 ? result(&r.job) : done == 0 ? Py_NewRef(Py_None) : NULL;
    if (r.columns && PyList_Append(r.free, r.columns)) Py_CLEAR(found);
    Py_XDECREF(r.columns);
    return found;
}

#define METHOD(name, result)                                                                                                               \
    static PyObject *name(PyObject *self, PyObject *const *args, Py_ssize_t n) {                                                           \
        (void)self;                                                                                                                        \
        return call(args, n, result);                                                                                                      \
    }
METHOD(encode, id_list)
METHOD(encode_packed, id_bytes)
METHOD(count, number)

#define FUNCTION(name) {#name, (PyCFunction)(void (*)(void))name, METH_FASTCALL, NULL}
static PyMethodDef functions[] = {FUNCTION(encode), FUNCTION(encode_packed), FUNCTION(count), {NULL, NULL, 0, NULL}};

static struct PyModuleDef ids_module = {PyModuleDef_HEAD_INIT, "_ids", NULL, -1, functions, NULL, NULL, NULL, NULL};

/* In the library of wwho._core, from which native.py loads it. */
PyMODINIT_FUNC PyInit__ids(void) {
    address_name = PyUnicode_InternFromString("address");
    return address_name ? PyModule_Create(&ids_module) : NULL;
}
