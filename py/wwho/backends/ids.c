/* wwho._ids: encoding without cffi, whose calls and conversions take as long as the core needs for a short text; and ids as decimal text.
 *
 * native.py loads this module from the library of wwho._core. Its one type, Calls, has the memory of past calls of one model, and
 * encodes in it. What it cannot do, native.py does through cffi: its methods return None for a text that is neither `str` nor bytes or has
 * surrogates, and if there is no memory or too little. Its function format_ids() writes ids. */
#include <Python.h>

enum {
    SHORT_TEXT_BYTES = 1 << 10, /* up to this length, giving up Python's global lock would take longer than encoding */
    KEPT_CHARACTERS = 2000,     /* LONG_TEXT of wwho/text.py */
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

static PyObject *is_ascii; /* the method str.isascii */

/* A text as UTF-8. The bytes are valid as long as both the text and `owner` live; `owner` may be NULL. */
typedef struct {
    const char *bytes;
    Py_ssize_t len;
    PyObject *owner;
} utf8_text;

/* Read a `str` or bytes as UTF-8 into *to. The UTF-8 of a `str` that is not ASCII is a copy, which the `str` keeps if it has
 * KEPT_CHARACTERS characters. Returns 1 if it is read, 0 for anything else and for a `str` with surrogates, and -1 with an exception. */
static int read_text(PyObject *text, utf8_text *to) {
    to->owner = NULL;
    if (!PyUnicode_Check(text)) {
        if (!PyBytes_Check(text)) return 0;
        to->bytes = PyBytes_AsString(text);
        to->len = PyBytes_Size(text);
        return 1;
    }
    bool kept = PyUnicode_GetLength(text) >= KEPT_CHARACTERS;
    if (!kept) {
        PyObject *answer = PyObject_CallFunctionObjArgs(is_ascii, text, NULL);
        if (!answer) return -1;
        kept = answer == Py_True;
        Py_DECREF(answer);
    }
    if (kept)
        to->bytes = PyUnicode_AsUTF8AndSize(text, &to->len);
    else if ((to->owner = PyUnicode_AsUTF8String(text))) {
        to->bytes = PyBytes_AsString(to->owner);
        to->len = PyBytes_Size(to->owner);
    }
    if (kept ? to->bytes != NULL : to->owner != NULL) return 1;
    if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return -1;
    PyErr_Clear();
    return 0;
}

/* The memory of a call that has ended: a CallMemory of native.py, and its job that writes ids alone. */
typedef struct {
    PyObject *owner;
    const wwho_job *job;
} call_memory;

/* An object of the type Calls: a model, and the memory that no call uses, the last used last. */
typedef struct {
    PyObject_HEAD const wwho_model *model;
    call_memory *free;
    size_t n_free, room;
} calls;

/* Add memory to that which no call uses. Takes over the reference to its owner. Returns false, with an exception, if memory is short. */
static bool give_back(calls *self, call_memory memory) {
    if (self->n_free == self->room) {
        size_t room = 2 * self->room + 1;
        call_memory *grown = PyMem_Realloc(self->free, room * sizeof *grown);
        if (!grown) {
            Py_DECREF(memory.owner);
            PyErr_NoMemory();
            return false;
        }
        self->free = grown;
        self->room = room;
    }
    self->free[self->n_free++] = memory;
    return true;
}

/* A text, or several, and what to do with them. */
typedef struct {
    const void *text;
    Py_ssize_t len;
    PyObject *allowed, *unk; /* as native.py takes them: bytes or None, and a truth value */
    size_t limit;            /* the number of tokens after which a call that only counts may stop; 0: it writes them */
    const uint32_t *bounds;  /* of several texts, as in wwho_job; else NULL */
    uint32_t *rows;
    size_t n_texts;
} request;

/* A function that makes something of the ids of a job: a new reference, or NULL with an exception. */
typedef PyObject *make_result(const wwho_job *job);

/* Encode what a request says in memory that no call uses, and return what `result` makes of the job. Gives up Python's global lock for more
 * than SHORT_TEXT_BYTES bytes. Returns None if there is no memory, or too little. */
static PyObject *encode_request(calls *self, const request *wanted, make_result *result) {
    char *allowed = NULL;
    if (wanted->allowed != Py_None && !(allowed = PyBytes_AsString(wanted->allowed))) return NULL;
    if (!self->n_free) Py_RETURN_NONE;
    call_memory memory = self->free[--self->n_free];
    wwho_job job = *memory.job;
    job.flags = wanted->unk == Py_True ? WWHO_UNK_TOKEN : 0;
    job.bounds = wanted->bounds;
    job.rows = wanted->rows;
    job.n_texts = wanted->n_texts;
    if (wanted->limit) {
        job.ids = NULL;
        job.cap = wanted->limit;
    }
    int status = WWHO_BUFFER;
    if (wanted->limit || (size_t)wanted->len <= job.cap) {
        PyThreadState *state = wanted->len > SHORT_TEXT_BYTES ? PyEval_SaveThread() : NULL;
        status = wwho_encode(self->model, wanted->text, (size_t)wanted->len, (const uint8_t *)allowed, &job);
        if (state) PyEval_RestoreThread(state);
    }
    PyObject *made = status == WWHO_OK ? result(&job) : Py_NewRef(Py_None);
    if (!give_back(self, memory)) Py_CLEAR(made);
    return made;
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

/* Return a new list of the ids of a job. */
static PyObject *id_list(const wwho_job *job) { return list_of(job->ids, job->n); }

/* Return the number of ids that a job has found. */
static PyObject *id_count(const wwho_job *job) { return PyLong_FromSize_t(job->n); }

/* Return a new list with a list of ids for each text of a job. */
static PyObject *id_lists(const wwho_job *job) {
    /* The collector would visit so many new lists again and again, a sixth of the time, and none of them can be garbage. */
    int collects = PyGC_Disable();
    PyObject *made = PyList_New((Py_ssize_t)job->n_texts);
    for (size_t i = 0; made && i < job->n_texts; i++) {
        PyObject *list = list_of(job->ids + job->rows[i], job->rows[i + 1] - job->rows[i]);
        if (!list || PyList_SetItem(made, (Py_ssize_t)i, list)) Py_CLEAR(made);
    }
    if (collects) PyGC_Enable();
    return made;
}

/* Return a new list with the number of ids of each text of a job. */
static PyObject *id_counts(const wwho_job *job) {
    PyObject *made = PyList_New((Py_ssize_t)job->n_texts);
    for (size_t i = 0; made && i < job->n_texts; i++) {
        PyObject *n = PyLong_FromUnsignedLong(job->rows[i + 1] - job->rows[i]);
        if (!n || PyList_SetItem(made, (Py_ssize_t)i, n)) Py_CLEAR(made);
    }
    return made;
}

/* numpy's C interface, of which these numbers never change: the type of arrays, and PyArray_New. Making an array through it takes a
 * quarter of the time of numpy.frombuffer. */
enum { ARRAY_TYPE = 2, ARRAY_NEW = 93 };
typedef PyObject *array_new(void *type, int n_dimensions, const Py_ssize_t *lengths, int number_type, const Py_ssize_t *strides, void *data,
                            int item_size, int flags, PyObject *like);
static void **numpy_interface;
static int uint32_type; /* numpy's number for it */

/* Find numpy's C interface. Returns false with an exception: ImportError, if numpy is not installed. */
static bool find_numpy(void) {
    PyObject *numpy = PyImport_ImportModule("numpy"), *core = NULL, *capsule = NULL;
    PyObject *type = numpy ? PyObject_CallMethod(numpy, "dtype", "s", "uint32") : NULL;
    PyObject *number = type ? PyObject_GetAttrString(type, "num") : NULL;
    if (number) {
        uint32_type = (int)PyLong_AsLong(number);
        core = PyImport_ImportModule("numpy._core._multiarray_umath");
        if (!core) { /* numpy 1 */
            PyErr_Clear();
            core = PyImport_ImportModule("numpy.core._multiarray_umath");
        }
    }
    if (core) capsule = PyObject_GetAttrString(core, "_ARRAY_API");
    if (capsule) numpy_interface = PyCapsule_GetPointer(capsule, NULL);
    Py_XDECREF(numpy);
    Py_XDECREF(type);
    Py_XDECREF(number);
    Py_XDECREF(core);
    Py_XDECREF(capsule);
    return numpy_interface != NULL;
}

/* Return the ids of a job as a new array of numpy, of uint32; NULL with an exception if memory is short, or numpy is not installed. */
static PyObject *id_array(const wwho_job *job) {
    if (!numpy_interface && !find_numpy()) return NULL;
    array_new *make = (array_new *)numpy_interface[ARRAY_NEW];
    Py_ssize_t n = (Py_ssize_t)job->n;
    PyObject *array = make(numpy_interface[ARRAY_TYPE], 1, &n, uint32_type, NULL, NULL, 0, 0, NULL);
    if (array && n) memcpy(*(void **)(array + 1), job->ids, job->n * sizeof *job->ids); /* its first field is where its data is */
    return array;
}

/* Return a tuple of two new bytearrays: the ids of all texts of a job, 32 bits each, and the number of ids before each text and in all, 64
 * bits each. */
static PyObject *packed_ids(const wwho_job *job) {
    PyObject *starts = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)((job->n_texts + 1) * sizeof(int64_t)));
    if (!starts) return NULL;
    int64_t *start = (int64_t *)(void *)PyByteArray_AsString(starts);
    for (size_t i = 0; i <= job->n_texts; i++) start[i] = job->rows[i];
    PyObject *ids = PyByteArray_FromStringAndSize((const char *)job->ids, (Py_ssize_t)(job->n * sizeof *job->ids));
    PyObject *both = ids ? PyTuple_Pack(2, ids, starts) : NULL;
    Py_XDECREF(ids);
    Py_DECREF(starts);
    return both;
}

/* Return what `result` makes of one encoded text. The arguments of the method: the text, the allowed special tokens (bytes or None),
 * whether to write the unknown token, and, if it only counts, the number of tokens after which it may stop. */
static PyObject *encode_one(calls *self, PyObject *const *args, Py_ssize_t n_args, make_result *result) {
    bool counts = result == id_count;
    if (n_args != 3 + counts) return PyErr_Format(PyExc_TypeError, "expected %d arguments", 3 + counts);
    size_t limit = counts ? PyLong_AsSize_t(args[3]) : 0;
    if (limit > WWHO_MAX_LENGTH) {
        PyErr_Clear(); /* no text has as many tokens */
        limit = WWHO_MAX_LENGTH;
    }
    utf8_text text;
    int read = counts && !limit ? 0 : read_text(args[0], &text);
    if (read < 0) return NULL;
    if (!read) Py_RETURN_NONE;
    request wanted = {text.bytes, text.len, args[1], args[2], limit, NULL, NULL, 0};
    PyObject *made = encode_request(self, &wanted, result);
    Py_XDECREF(text.owner);
    return made;
}

/* Several texts, one after another, in memory that grows. */
typedef struct {
    char *bytes;
    uint32_t *bounds; /* n_texts + 1 of them, and room for as many rows of a job */
    size_t room;
} joined_utf8;

/* Join the n texts of a list as UTF-8 into *to, whose memory the caller frees with PyMem_Free. Returns 1 if they are joined, 0 if one is no
 * text as read_text() takes it or if they have more than `limit` bytes, and -1 with an exception. */
static int join_texts_of(PyObject *texts, Py_ssize_t n, size_t limit, joined_utf8 *to) {
    size_t len = 0;
    int read = 1;
    for (Py_ssize_t i = 0; i < n; i++) {
        utf8_text text;
        PyObject *item = PyList_GetItem(texts, i);
        if ((read = item ? read_text(item, &text) : -1) != 1) return read;
        size_t end = len + (size_t)text.len;
        if (end > to->room && end <= limit) {
            char *grown = PyMem_Realloc(to->bytes, 2 * end);
            to->room = grown ? 2 * end : 0;
            if (grown) to->bytes = grown;
        }
        bool fits = end <= to->room && end <= limit;
        if (fits && text.len) memcpy(to->bytes + len, text.bytes, (size_t)text.len);
        Py_XDECREF(text.owner);
        if (!fits) return 0;
        to->bounds[i + 1] = (uint32_t)(len = end);
    }
    return read;
}

/* Return what `result` makes of the texts of a list, encoded by one call of the core; None for any other sequence. The arguments of the
 * method: the list, the allowed special tokens and whether to write the unknown token, as in encode_one(), and how many bytes the texts may
 * have: if there are more, None is returned. */
static PyObject *encode_all(calls *self, PyObject *const *args, Py_ssize_t n_args, make_result *result) {
    if (n_args != 4) return PyErr_Format(PyExc_TypeError, "expected 4 arguments");
    size_t limit = PyLong_AsSize_t(args[3]);
    if (limit == SIZE_MAX) return NULL;
    if (!PyList_Check(args[0])) Py_RETURN_NONE;
    Py_ssize_t n = PyList_Size(args[0]);
    joined_utf8 joined = {0};
    joined.bounds = PyMem_Calloc(2 * ((size_t)n + 1), sizeof *joined.bounds);
    if (!joined.bounds) return PyErr_NoMemory();
    int read = join_texts_of(args[0], n, limit, &joined);
    PyObject *made = NULL;
    if (read == 1) {
        const uint32_t *bounds = joined.bounds;
        size_t most = result == id_counts ? WWHO_MAX_LENGTH : 0;
        request wanted = {joined.bytes, bounds[n], args[1], args[2], most, bounds, joined.bounds + n + 1, (size_t)n};
        made = encode_request(self, &wanted, result);
    } else if (!read)
        made = Py_NewRef(Py_None);
    PyMem_Free(joined.bytes);
    PyMem_Free(joined.bounds);
    return made;
}

/* A method of Calls that returns what `result` makes of an encoded text, or of several. */
#define METHOD(name, encode, result)                                                                                                       \
    static PyObject *name(PyObject *self, PyObject *const *args, Py_ssize_t n) { return encode((calls *)self, args, n, result); }
METHOD(calls_encode, encode_one, id_list)
METHOD(calls_encode_to_numpy, encode_one, id_array)
METHOD(calls_count, encode_one, id_count)
METHOD(calls_encode_batch, encode_all, id_lists)
METHOD(calls_encode_batch_packed, encode_all, packed_ids)
METHOD(calls_count_batch, encode_all, id_counts)

/* give_back(memory): keep a CallMemory for later calls. Its attribute `address` is the address of its job that writes ids alone. */
static PyObject *calls_give_back(PyObject *self, PyObject *owner) {
    PyObject *address = PyObject_GetAttrString(owner, "address");
    call_memory memory = {owner, address ? PyLong_AsVoidPtr(address) : NULL};
    Py_XDECREF(address);
    if (!memory.job) return NULL;
    Py_INCREF(owner);
    if (!give_back((calls *)self, memory)) return NULL;
    Py_RETURN_NONE;
}

/* take(): return a CallMemory that no call uses, which the caller then has alone; None if there is none. */
static PyObject *calls_take(PyObject *object, PyObject *unused) {
    calls *self = (calls *)object;
    (void)unused;
    if (!self->n_free) Py_RETURN_NONE;
    return self->free[--self->n_free].owner;
}

/* Calls(address): the calls of the model at an address, without memory yet. */
static PyObject *calls_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    PyObject *address;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "O", &address)) return NULL;
    const wwho_model *model = PyLong_AsVoidPtr(address);
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    calls *self = model ? (calls *)allocate(type, 0) : NULL;
    if (self) self->model = model;
    return (PyObject *)self;
}

static void calls_free(PyObject *object) {
    calls *self = (calls *)object;
    PyTypeObject *type = Py_TYPE(object);
    while (self->n_free) Py_DECREF(self->free[--self->n_free].owner);
    PyMem_Free(self->free);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

/* Return how many decimal digits a number has. */
static size_t digits_of(uint32_t number) {
    if (number < 100000) return number < 100 ? 1 + (number >= 10) : 3 + (number >= 1000) + (number >= 10000);
    if (number < 10000000) return 6 + (number >= 1000000);
    return 8 + (number >= 100000000) + (number >= 1000000000);
}

/* Write a number of so many decimal digits, and return the place after it. */
static char *write_number(char *to, uint32_t number, size_t n_digits) {
    static const char pairs[] =
        "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354"
        "555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
    char *end = to + n_digits, *at = end;
    for (; number >= 100; number /= 100) memcpy(at -= 2, pairs + 2 * (number % 100), 2);
    if (number >= 10)
        memcpy(at - 2, pairs + 2 * number, 2);
    else
        at[-1] = (char)('0' + number);
    return end;
}

/* Write some bytes, and return the place after them. */
static char *write_part(char *to, const Py_buffer *bytes) {
    memcpy(to, bytes->buf, (size_t)bytes->len);
    return to + bytes->len;
}

/* The arguments of format_ids(), by their place. */
enum { IDS, STARTS, BEFORE, BETWEEN, AFTER, N_ARGUMENTS };

/* Return whether starts ascend from 0 or more to at most the number of ids; there is at least one. */
static bool are_rows(const int64_t *starts, Py_ssize_t n_rows, Py_ssize_t n_ids) {
    for (Py_ssize_t i = 0; i < n_rows; i++)
        if (starts[i] > starts[i + 1]) return false;
    return starts[0] >= 0 && starts[n_rows] <= n_ids;
}

/* Return how many decimal digits the ids of the rows have together. */
static size_t all_digits(const Py_buffer *given, const int64_t *starts, Py_ssize_t n_rows) {
    const uint32_t *ids = given[IDS].buf;
    size_t n = 0;
    for (int64_t k = starts[0]; k < starts[n_rows]; k++) n += digits_of(ids[k]);
    return n;
}

/* Return how many bytes the rows take as text without the digits of their ids. */
static size_t size_around(const Py_buffer *given, const int64_t *starts, Py_ssize_t n_rows) {
    size_t size = (size_t)n_rows * (size_t)(given[BEFORE].len + given[AFTER].len);
    for (Py_ssize_t i = 0; i < n_rows; i++)
        if (starts[i] < starts[i + 1]) size += (size_t)(starts[i + 1] - starts[i] - 1) * (size_t)given[BETWEEN].len;
    return size;
}

/* Write the rows of ids as text, with room for n_digits decimal digits of ids. Returns false, and stops early, if the ids do not have as
 * many: another thread has changed them since they were counted. Each id is read once, so that it is written as it is measured. */
static bool write_rows(char *to, const Py_buffer *given, const int64_t *starts, Py_ssize_t n_rows, size_t n_digits) {
    const volatile uint32_t *ids = given[IDS].buf;
    for (Py_ssize_t i = 0; i < n_rows; i++) {
        to = write_part(to, &given[BEFORE]);
        for (int64_t k = starts[i]; k < starts[i + 1]; k++) {
            uint32_t id = ids[k];
            size_t n = digits_of(id);
            if (n > n_digits) return false;
            n_digits -= n;
            if (k > starts[i]) to = write_part(to, &given[BETWEEN]);
            to = write_number(to, id, n);
        }
        to = write_part(to, &given[AFTER]);
    }
    return !n_digits;
}

/* Return the rows of ids as text; NULL with an exception if they do not lie in the ids, or if the ids change meanwhile. The starts, one
 * more than rows, are a copy of the caller's: another thread could change those between their check and their use. */
static PyObject *rows_as_text(const Py_buffer *given, const int64_t *starts, Py_ssize_t n_rows) {
    if (n_rows < 0 || !are_rows(starts, n_rows, given[IDS].len / (Py_ssize_t)sizeof(uint32_t)))
        return PyErr_Format(PyExc_ValueError, "the starts of rows of ids do not ascend from 0 to the number of ids");
    PyThreadState *state = PyEval_SaveThread();
    size_t n_digits = all_digits(given, starts, n_rows), size = size_around(given, starts, n_rows);
    PyEval_RestoreThread(state);
    PyObject *text = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(n_digits + size));
    if (!text) return NULL;
    char *to = PyBytes_AsString(text);
    state = PyEval_SaveThread();
    bool written = write_rows(to, given, starts, n_rows, n_digits);
    PyEval_RestoreThread(state);
    if (written) return text;
    Py_DECREF(text);
    return PyErr_Format(PyExc_ValueError, "the ids were changed by another thread while they were written");
}

/* format_ids(ids, starts, before, between, after): the function of that name in backend.py, of ids of 32 and starts of 64 bits, packed.
 * Other threads run Python meanwhile. */
static PyObject *format_ids(PyObject *module, PyObject *const *args, Py_ssize_t n_args) {
    Py_buffer given[N_ARGUMENTS];
    int n_given = 0;
    (void)module;
    if (n_args != N_ARGUMENTS) return PyErr_Format(PyExc_TypeError, "expected %d arguments", N_ARGUMENTS);
    while (n_given < N_ARGUMENTS && !PyObject_GetBuffer(args[n_given], &given[n_given], PyBUF_SIMPLE)) n_given++;
    PyObject *text = NULL;
    if (n_given == N_ARGUMENTS) {
        size_t n_starts = (size_t)given[STARTS].len / sizeof(int64_t);
        int64_t *starts = PyMem_Malloc((n_starts + 1) * sizeof *starts);
        if (n_starts && starts) memcpy(starts, given[STARTS].buf, n_starts * sizeof *starts);
        text = starts ? rows_as_text(given, starts, (Py_ssize_t)n_starts - 1) : PyErr_NoMemory();
        PyMem_Free(starts);
    }
    while (n_given) PyBuffer_Release(&given[--n_given]);
    return text;
}

#define FUNCTION(name) {#name, (PyCFunction)(void (*)(void))calls_##name, METH_FASTCALL, NULL}
static PyMethodDef methods[] = {FUNCTION(encode),
                                FUNCTION(encode_to_numpy),
                                FUNCTION(count),
                                FUNCTION(encode_batch),
                                FUNCTION(encode_batch_packed),
                                FUNCTION(count_batch),
                                {"give_back", calls_give_back, METH_O, NULL},
                                {"take", calls_take, METH_NOARGS, NULL},
                                {NULL, NULL, 0, NULL}};
static PyType_Slot slots[] = {{Py_tp_new, calls_new}, {Py_tp_dealloc, calls_free}, {Py_tp_methods, methods}, {0, NULL}};
static PyType_Spec calls_spec = {"wwho._ids.Calls", sizeof(calls), 0, Py_TPFLAGS_DEFAULT, slots};

static PyMethodDef functions[] = {{"format_ids", (PyCFunction)(void (*)(void))format_ids, METH_FASTCALL, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef ids_module = {PyModuleDef_HEAD_INIT, "_ids", NULL, -1, functions, NULL, NULL, NULL, NULL};

/* Create the module. It is in the library of wwho._core, from which native.py loads it. */
PyMODINIT_FUNC PyInit__ids(void) {
    PyObject *module = PyModule_Create(&ids_module), *type = PyType_FromSpec(&calls_spec);
    is_ascii = PyObject_GetAttrString((PyObject *)&PyUnicode_Type, "isascii");
    if (!module || !type || !is_ascii || PyModule_AddObjectRef(module, "Calls", type)) Py_CLEAR(module);
    Py_XDECREF(type);
    return module;
}
