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

static PyObject *list_of(const uint32_t *ids, size_t n) {
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; list && i < n; i++) {
        PyObject *number = number_with(ids[i]);
        if (!number || PyList_SetItem(list, (Py_ssize_t)i, number)) Py_CLEAR(list);
    }
    return list;
}

static PyObject *id_list(const wwho_job *job) { return list_of(job->ids, job->n); }

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

/* lists(ids, rows): the ids from each row to the next one, as a list of lists. Buffers of uint32_t and of int64_t. */
static PyObject *lists(PyObject *self, PyObject *const *args, Py_ssize_t n_args) {
    (void)self;
    if (n_args != 2) return PyErr_Format(PyExc_TypeError, "expected 2 arguments");
    Py_buffer ids, rows;
    if (PyObject_GetBuffer(args[0], &ids, PyBUF_SIMPLE)) return NULL;
    if (PyObject_GetBuffer(args[1], &rows, PyBUF_SIMPLE)) {
        PyBuffer_Release(&ids);
        return NULL;
    }
    const int64_t *row = rows.buf;
    Py_ssize_t n = rows.len / (Py_ssize_t)sizeof *row - 1;
    int collects = PyGC_Disable(); /* so many lists would be visited again and again, a sixth of the time; none can be garbage */
    PyObject *made = PyList_New(n);
    for (Py_ssize_t i = 0; made && i < n; i++) {
        PyObject *list = list_of((const uint32_t *)ids.buf + row[i], (size_t)(row[i + 1] - row[i]));
        if (!list || PyList_SetItem(made, i, list)) Py_CLEAR(made);
    }
    if (collects) PyGC_Enable();
    PyBuffer_Release(&ids);
    PyBuffer_Release(&rows);
    return made;
}

#define FUNCTION(name) {#name, (PyCFunction)(void (*)(void))name, METH_FASTCALL, NULL}
static PyMethodDef functions[] = {FUNCTION(encode), FUNCTION(encode_packed), FUNCTION(count), FUNCTION(lists), {NULL, NULL, 0, NULL}};

static struct PyModuleDef ids_module = {PyModuleDef_HEAD_INIT, "_ids", NULL, -1, functions, NULL, NULL, NULL, NULL};

/* In the library of wwho._core, from which native.py loads it. */
PyMODINIT_FUNC PyInit__ids(void) {
    address_name = PyUnicode_InternFromString("address");
    return address_name ? PyModule_Create(&ids_module) : NULL;
}
