/* wwho._ids: encoding without cffi, whose calls and conversions take as long as the core needs for a short text.
 *
 * native.py loads this module from the library of wwho._core. Its functions work in free memory of native.py: a list of CallMemory
 * objects, each with an attribute `address`, the address of a wwho_job that writes ids. They return None if that memory has too little
 * room, or if there is none; native.py then calls the core through cffi. */
#include <Python.h>

enum {
    SHORT_TEXT_BYTES = 1 << 10, /* up to this length, giving up Python's global lock would take longer than encoding */
    KNOWN = 1 << 13
};

/* Python integers that were made before, each at its id modulo KNOWN. Most ids of a text are among the last few thousand, so that making a
 * list of them takes a third of the time and a fifth of the memory. Only used with Python's global lock. */
static struct {
    uint32_t id;
    PyObject *integer;
} known[KNOWN];

/* Return a new reference to the Python integer with the value of an id; NULL with an exception if memory is short. It is remembered in
 * known[] in place of another id's. */
static PyObject *integer_of(uint32_t id) {
    uint32_t at = id % KNOWN;
    if (!known[at].integer || known[at].id != id) {
        PyObject *made = PyLong_FromUnsignedLong(id), *old = known[at].integer;
        if (!made) return NULL;
        known[at].id = id;
        known[at].integer = made;
        Py_XDECREF(old);
    }
    Py_INCREF(known[at].integer);
    return known[at].integer;
}

static PyObject *address_name; /* the string "address" */

/* A running call of the core. It owns `memory`, which is not in the list `free_memory` meanwhile. */
typedef struct {
    PyObject *free_memory, *memory;
    wwho_job job;
} running_call;

/* Take the last of the free memory, and encode a text in it. `args` are those of call(); with `count_only` no ids are written. Returns 1 if
 * it is done: `job` then has the result. Returns 0 if there was no free memory, too little of it, or the core refused the text, and -1 with
 * an exception. Gives up Python's global lock for a text of over SHORT_TEXT_BYTES bytes. The caller gives `memory` back unless it is NULL,
 * whatever is returned. */
static int encode_in_free_memory(running_call *running, PyObject *const *args, bool count_only) {
    const wwho_model *model = PyLong_AsVoidPtr(args[0]);
    Py_ssize_t last = model ? PyList_Size(running->free_memory = args[1]) - 1 : -1, len;
    char *text, *allowed = NULL;
    if (last < 0) return PyErr_Occurred() ? -1 : 0;
    running->memory = Py_NewRef(PyList_GetItem(running->free_memory, last));
    bool is_removed = !PyList_SetSlice(running->free_memory, last, last + 1, NULL);
    PyObject *address = is_removed ? PyObject_GetAttr(running->memory, address_name) : NULL;
    const wwho_job *ids_job = address ? PyLong_AsVoidPtr(address) : NULL;
    Py_XDECREF(address);
    if (!ids_job || PyBytes_AsStringAndSize(args[2], &text, &len)) return -1;
    if (args[3] != Py_None && !(allowed = PyBytes_AsString(args[3]))) return -1;
    running->job = *ids_job;
    running->job.flags = PyObject_IsTrue(args[4]) ? WWHO_UNK_TOKEN : 0;
    if (count_only) {
        running->job.ids = NULL;
        running->job.cap = WWHO_MAX_LENGTH;
    }
    if ((size_t)len > running->job.cap) return 0;
    PyThreadState *state = len > SHORT_TEXT_BYTES ? PyEval_SaveThread() : NULL;
    int status = wwho_encode(model, (const uint8_t *)text, (size_t)len, (const uint8_t *)allowed, &running->job);
    if (state) PyEval_RestoreThread(state);
    return status == WWHO_OK;
}

/* Return a new list of n ids as Python integers; NULL with an exception if memory is short. */
static PyObject *list_of(const uint32_t *ids, size_t n) {
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; list && i < n; i++) {
        PyObject *integer = integer_of(ids[i]);
        if (!integer || PyList_SetItem(list, (Py_ssize_t)i, integer)) Py_CLEAR(list);
    }
    return list;
}

/* Return a new list of n ids as Python integers; NULL with an exception if memory is short. */
static PyObject *id_list(const wwho_job *job) { return list_of(job->ids, job->n); }

/* Return the ids that a job has written, as a new bytearray of 32 bits each. */
static PyObject *id_bytes(const wwho_job *job) {
    return PyByteArray_FromStringAndSize((const char *)job->ids, (Py_ssize_t)(job->n * sizeof *job->ids));
}

/* Return the number of ids that a job has found. */
static PyObject *id_count(const wwho_job *job) { return PyLong_FromSize_t(job->n); }

/* Encode a text, give the memory back to the free memory, and return what `result` makes of the job; with id_count, the job only counts.
 * The arguments of each function of the module: the address of the model, the list of free memory, the text (bytes), the allowed special
 * tokens (bytes or None), and whether to write the unknown token. Returns None if free memory has too little room, or there is none. */
static PyObject *call(PyObject *const *args, Py_ssize_t n_args, PyObject *result(const wwho_job *)) {
    if (n_args != 5) return PyErr_Format(PyExc_TypeError, "expected 5 arguments");
    running_call running = {NULL, NULL, {0}};
    int done = encode_in_free_memory(&running, args, result == id_count);
    PyObject *found = done == 1 ? result(&running.job) : done == 0 ? Py_NewRef(Py_None) : NULL;
    if (running.memory && PyList_Append(running.free_memory, running.memory)) Py_CLEAR(found);
    Py_XDECREF(running.memory);
    return found;
}

/* A function of the module that returns what `result` makes of an encoded text. */
#define METHOD(name, result)                                                                                                               \
    static PyObject *name(PyObject *self, PyObject *const *args, Py_ssize_t n) {                                                           \
        (void)self;                                                                                                                        \
        return call(args, n, result);                                                                                                      \
    }
METHOD(encode, id_list)
METHOD(encode_packed, id_bytes)
METHOD(count, id_count)

/* lists(ids, rows): return a list with a list of ids for each row: those from its number in `rows` to the next number. `ids` is a buffer of
 * uint32_t, `rows` one of int64_t with one number more than there are rows; nothing checks that the numbers are within `ids`. */
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
    /* The collector would visit so many new lists again and again, a sixth of the time, and none of them can be garbage. */
    int collects = PyGC_Disable();
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

/* Create the module. It is in the library of wwho._core, from which native.py loads it. */
PyMODINIT_FUNC PyInit__ids(void) {
    address_name = PyUnicode_InternFromString("address");
    return address_name ? PyModule_Create(&ids_module) : NULL;
}
