cdef extern from *:
    """
    #include <errno.h>
    #include <fcntl.h>
    #include <stdatomic.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/mman.h>
    #include <unistd.h>

    /* Stands before a block: its bytes, and those that are counted as memory, or that
    are mapped of a file. */
    typedef struct {
        size_t size, counted, mapped;
        char unused[64 - 3 * sizeof(size_t)];
    } topoview_head;

    /* As NumPy has it (ndarraytypes.h: PyDataMem_Handler, NEP 49). */
    typedef struct {
        char name[127];
        uint8_t version;
        void *context;
        void *(*take)(void *, size_t);
        void *(*take_cleared)(void *, size_t, size_t);
        void *(*resize)(void *, void *, size_t);
        void (*give_back)(void *, void *, size_t);
        long long small, limit;
        char folder[];
    } topoview_handler;

    #define TOPOVIEW_SET_HANDLER 304  /* its place in NumPy's table of functions */

    static _Atomic long long topoview_taken;  /* bytes of memory in counted blocks */
    static _Atomic int topoview_fault;  /* why the last file was not made */

    static topoview_head *topoview_map(const char *folder, size_t size)
    {
        char name[strlen(folder) + sizeof "/.XXXXXX"];
        strcat(strcpy(name, folder), "/.XXXXXX");
        int file = mkstemp(name);
        topoview_fault = errno;
        if (file < 0) return NULL;
        unlink(name);
        topoview_fault = posix_fallocate(file, 0, (off_t)size);
        void *block = MAP_FAILED;
        if (!topoview_fault) {
            block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
            if (block == MAP_FAILED) topoview_fault = errno;
        }
        close(file);
        return block == MAP_FAILED ? NULL : block;
    }

    static void *topoview_take_any(topoview_handler *by, size_t size, int cleared)
    {
        size_t whole = size + sizeof(topoview_head), mapped = 0;
        size_t counted = size > (size_t)by->small ? whole : 0;
        topoview_head *head;
        topoview_fault = 0;
        if (whole < size) return NULL;
        long long taken = atomic_fetch_add(&topoview_taken, counted) + counted;
        if (counted && taken > by->limit) {
            atomic_fetch_sub(&topoview_taken, counted);
            counted = 0;
            head = topoview_map(by->folder, mapped = whole);
        } else {
            head = cleared ? calloc(1, whole) : malloc(whole);
            if (!head) atomic_fetch_sub(&topoview_taken, counted);
        }
        if (!head) return NULL;
        head->size = size;
        head->counted = counted;
        head->mapped = mapped;
        return head + 1;
    }

    static void *topoview_take(void *by, size_t size)
    {
        return topoview_take_any(by, size, 0);
    }

    static void *topoview_take_cleared(void *by, size_t count, size_t each)
    {
        size_t size;
        return __builtin_mul_overflow(count, each, &size)
            ? NULL : topoview_take_any(by, size, 1);
    }

    static void topoview_give_back(void *by, void *block, size_t size)
    {
        (void)by, (void)size;
        if (!block) return;  /* NumPy gives back what it never had, too */
        topoview_head *head = (topoview_head *)block - 1;
        atomic_fetch_sub(&topoview_taken, (long long)head->counted);
        if (head->mapped) munmap(head, head->mapped);
        else free(head);
    }

    static void *topoview_resize(void *by, void *block, size_t size)
    {
        void *other = topoview_take_any(by, size, 0);
        if (other && block) {
            size_t before = ((topoview_head *)block - 1)->size;
            memcpy(other, block, before < size ? before : size);
            topoview_give_back(by, block, 0);
        }
        return other;
    }

    static void topoview_forget_handler(PyObject *capsule)
    {
        free(PyCapsule_GetPointer(capsule, "mem_handler"));
    }

    static PyObject *topoview_new_handler(
        long long small, long long limit, const char *folder)
    {
        topoview_handler *made = calloc(1, sizeof *made + strlen(folder) + 1);
        if (!made) return PyErr_NoMemory();
        *made = (topoview_handler){
            "topoview", 1, made, topoview_take, topoview_take_cleared,
            topoview_resize, topoview_give_back, small, limit,
        };
        strcpy(made->folder, folder);
        return PyCapsule_New(made, "mem_handler", topoview_forget_handler);
    }

    static PyObject *topoview_set_handler(PyObject *handler)
    {
        PyObject *module = PyImport_ImportModule("numpy._core._multiarray_umath");
        PyObject *api = module ? PyObject_GetAttrString(module, "_ARRAY_API") : NULL;
        void **table = api ? PyCapsule_GetPointer(api, NULL) : NULL;
        Py_XDECREF(api), Py_XDECREF(module);  /* NumPy itself keeps both */
        if (!table) return NULL;
        return ((PyObject *(*)(PyObject *))table[TOPOVIEW_SET_HANDLER])(handler);
    }
    """
    object new_handler "topoview_new_handler" (
        long long small, long long limit, const char *folder
    )
    object put_handler "topoview_set_handler" (object handler)
    int topoview_fault
