/* The least that reading a trace takes: libotf2's local readers, empty callbacks.
 *
 * Usage: floor LIBRARY ANCHOR THREADS SETTER...
 * LIBRARY is libotf2, each SETTER the name of a function that registers a
 * callback for a type of event. Prints events, and wall and CPU seconds from the
 * opening of the archive to its end. Prototypes are written out because the
 * library comes without headers. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void *library;
static void *reader;
static void *callbacks;
static uint64_t locations[1 << 20];
static void *events[1 << 20];
static uint64_t count, following, total;

typedef void *(*open_t)(const char *);
typedef void *(*get_t)(void *, uint64_t);
typedef int (*handle_t)(void *);
typedef int (*pair_t)(void *, void *);
typedef int (*select_t)(void *, uint64_t);
typedef int (*enroll_t)(void *, void *, void *, void *);
typedef int (*read_t)(void *, void *, uint64_t, uint64_t *);
typedef void *(*new_t)(void);

static void *symbol(const char *name)
{
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return found;
}

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

static int nothing(void)
{
    return 0;
}

static int on_location(void *user, uint64_t self, uint32_t name, uint8_t type,
                       uint64_t number, uint32_t group)
{
    (void)user, (void)name, (void)type, (void)number, (void)group;
    if (count < sizeof locations / sizeof *locations)
        locations[count++] = self;
    return 0;
}

static void *run(void *unused)
{
    read_t read = (read_t)symbol("OTF2_Reader_ReadLocalEvents");
    uint64_t mine, got;
    (void)unused;
    while ((mine = __atomic_fetch_add(&following, 1, __ATOMIC_RELAXED)) < count) {
        if (!events[mine])
            continue;
        got = 0;
        read(reader, events[mine], UINT64_MAX, &got);
        __atomic_fetch_add(&total, got, __ATOMIC_RELAXED);
    }
    return NULL;
}

int main(int arguments, char **argument)
{
    pthread_t threads[256];
    uint64_t got;
    if (arguments < 4)
        return 2;
    library = dlopen(argument[1], RTLD_LAZY);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    int number = atoi(argument[3]);
    double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    reader = ((open_t)symbol("OTF2_Reader_Open"))(argument[2]);
    if (!reader)
        return 1;
    ((handle_t)symbol("OTF2_Reader_SetSerialCollectiveCallbacks"))(reader);
    void *definitions = ((new_t)symbol("OTF2_GlobalDefReaderCallbacks_New"))();
    ((pair_t)symbol("OTF2_GlobalDefReaderCallbacks_SetLocationCallback"))(
        definitions, (void *)on_location);
    void *global = ((open_t)symbol("OTF2_Reader_GetGlobalDefReader"))(reader);
    ((enroll_t)symbol("OTF2_Reader_RegisterGlobalDefCallbacks"))(
        reader, global, definitions, NULL);
    ((read_t)symbol("OTF2_Reader_ReadGlobalDefinitions"))(
        reader, global, UINT64_MAX, &got);
    callbacks = ((new_t)symbol("OTF2_EvtReaderCallbacks_New"))();
    for (int i = 4; i < arguments; i++)
        ((pair_t)symbol(argument[i]))(callbacks, (void *)nothing);
    for (uint64_t i = 0; i < count; i++)
        ((select_t)symbol("OTF2_Reader_SelectLocation"))(reader, locations[i]);
    int has_definitions = !((handle_t)symbol("OTF2_Reader_OpenDefFiles"))(reader);
    ((handle_t)symbol("OTF2_Reader_OpenEvtFiles"))(reader);
    for (uint64_t i = 0; i < count; i++) {
        void *local = NULL;
        if (has_definitions)
            local = ((get_t)symbol("OTF2_Reader_GetDefReader"))(reader, locations[i]);
        if (local) {
            ((read_t)symbol("OTF2_Reader_ReadLocalDefinitions"))(
                reader, local, UINT64_MAX, &got);
            ((pair_t)symbol("OTF2_Reader_CloseDefReader"))(reader, local);
        }
        events[i] = ((get_t)symbol("OTF2_Reader_GetEvtReader"))(reader, locations[i]);
        if (events[i])
            ((enroll_t)symbol("OTF2_Reader_RegisterEvtCallbacks"))(
                reader, events[i], callbacks, NULL);
    }
    if (number > 256)
        number = 256;
    for (int i = 1; i < number; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    run(NULL);
    for (int i = 1; i < number; i++)
        pthread_join(threads[i], NULL);
    printf("%llu %.6f %.6f\n", (unsigned long long)total,
           seconds(CLOCK_MONOTONIC) - wall, seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    return 0;
}
