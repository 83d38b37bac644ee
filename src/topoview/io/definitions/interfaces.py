"""What a location does in regions of GPUs' and threads' interfaces.

`INTERFACES` and `THREADS` are the rules, by name, role and paradigm. A region is an
interface's if it is of its paradigm, or if its name is that of one of its calls:
EZTrace has no paradigms but USER. Functions that a compiler instrumented are the
program's own, whatever they are called.

Sources: "API synchronization behavior" in the CUDA Driver and Runtime API manuals
(NVIDIA): copies between device memories do not wait, those to pageable memory of the
host do even if asynchronous, and to pinned memory take next to no time; HIP Runtime API
(AMD); the specifications of OpenACC 3.3, OpenCL 3.0, Level Zero 1.10, SYCL 2020 and
OpenMP 5.2; names of constructs as Score-P, OPARI2 and OMPT write them.
"""

import re
from typing import Final, NamedTuple

from topoview.model import TimeState

# Codes of OTF2_Paradigm.
_COMPILER: Final = 2
_CUDA: Final = 5
_MEASUREMENT_SYSTEM: Final = 6
_OPENACC: Final = 18
_OPENCL: Final = 19
_HIP: Final = 23
_OPENMP_TARGET: Final = 25
_NO_PARADIGM: Final = -1
_ON_STREAMS: Final = frozenset({_CUDA, _HIP, _OPENCL})
_OF_PROCESSES: Final = frozenset({4, 11, 12, 13})
"""MPI, GASPI, UPC, SHMEM: their barriers are no threads'."""

# Codes of OTF2_RegionRole.
_WRAPPER: Final = 2
_BARRIERS: Final = frozenset({15, 16})
_TASK_WAIT: Final = 22
_DATA_TRANSFER: Final = 30
_ARTIFICIAL: Final = 31
_KERNEL: Final = 40


class Interface(NamedTuple):
    """Regions of a GPU's interface; names are regular expressions for all of a name."""

    paradigm: int
    """OTF2_Paradigm of its regions."""
    calls: str
    """Names of its calls, whatever their paradigm."""
    waits: str
    """Those that return when the device is done."""
    holds: str = ""
    """Constructs that hold the program's own code."""
    runs: bool = True
    """Whether what else is of the paradigm runs on the device."""


INTERFACES: Final = (
    Interface(
        _CUDA,
        r"cuda[A-Z]\w*|nccl[A-Z]\w*|cu(blas|dnn|fft|rand|solver|sparse|tensor)\w+|"
        r"cu(Array|Ctx|Device|Driver|Event|External|Func|GetProc|Graph|Init|Kernel|"
        r"Launch|Library|Link|Mem|Memcpy|Memset|Mipmapped|Module|Occupancy|Pointer|"
        r"Profiler|Stream|Surf|Tex|UserObject)([A-Z\d]\w*)?",
        r"cu(da)?(Context|Ctx|Device|Event|Stream|Thread)?Synchronize|"
        r"DEVICE SYNCHRONIZE|cu(da)?Memcpy(?!DtoD|DtoA|AtoD|AtoA|\w*Peer|\w*Async)\w*|"
        r"cuMemcpy[DA]toHAsync",
    ),
    Interface(
        _HIP,
        r"(__)?hip[A-Z]\w*|(hip|roc)(blas|fft|rand|solver|sparse)\w+|hsa_\w+",
        r"hip(Ctx|Device|Event|Stream)Synchronize|hsa_(amd_)?signal_wait\w*|"
        r"hipMemcpy(?!DtoD|DtoA|AtoD|AtoA|\w*Peer|\w*Async)\w*|hipMemcpy[DA]toHAsync",
    ),
    Interface(
        _OPENACC,
        r"acc_((async_)?(wait|test)(_all|_any|_device|_all_device|_device_all)?(_async)?|"
        r"init(_device)?|shutdown(_device)?|[gs]et_(default_async|device_\w+|property\w*)|"
        r"((present_or_|p)?(copyin|create)|copyout|delete|attach|detach|update_device|"
        r"update_(self|local|host)|memcpy_(to|from)_device|memcpy_device)"
        r"(_finalize)?(_async)?|malloc|free|(un)?map_data|deviceptr|hostptr|is_present|"
        r"on_device|get_num_devices)",
        r"acc_((async_)?wait(_all|_any|_device|_all_device|_device_all)?|"
        r"(present_or_|p)?copyin|copyout(_finalize)?|update_device|"
        r"update_(self|local|host)|memcpy_(to|from)_device|memcpy_device)",
        holds="acc_(data|host_data)",
        runs=False,
    ),
    Interface(
        _OPENCL,
        r"clEnqueue[A-Z]\w*|cl(Build|Clone|Compile|Create|Get|Link|Release|Retain|Set)"
        r"(Buffer|Command|Context|Device|Event|Host|Image|Kernel|Mem|Pipe|Platform|"
        r"Program|Sampler|Sub|UserEvent)\w*|cl(Finish|Flush|WaitForEvents|SVM\w+)",
        r"clFinish|clWaitForEvents|WAIT FOR COMMAND QUEUE",
    ),
    Interface(
        _NO_PARADIGM,  # Level Zero and SYCL
        r"ze(Command|Context|Device|Driver|Event|Fence|Image|Init|Kernel|Mem|Module|"
        r"Physical|Sampler|Virtual)([A-Z]\w*)?|(cl::)?sycl::.*|"
        r"(pi|ur)(Context|Device|Enqueue|Event|Kernel|Mem|Program|Queue|USM)s?[A-Z]\w*",
        r"ze(CommandList|CommandQueue|Event|Fence)(Host)?Synchronize|"
        r"(pi|ur)(QueueFinish|EventsWait|EventWait)|"
        r"(cl::)?sycl::(_V1::)?((queue|event)::wait(_and_throw)?|buffer<.*::~buffer|"
        r"host_accessor<.*::host_accessor)",
    ),
    Interface(
        _OPENMP_TARGET,
        r"!\$omp target( .*)?|omp_target_(alloc|free|mem\w+|is_\w+|(dis)?associate)\w*|"
        r"__tgt_target\w*|GOMP_target\w*",
        r"!\$omp target( (enter data|exit data|update|(teams|parallel|simd|loop)"
        r"((?!nowait).)*))?|omp_target_mem(cpy|cpy_rect|set)|"
        r"__tgt_target(_kernel|_teams|_data_(begin|end|update))?(_mapper)?|"
        r"GOMP_target(_ext|_update_ext|_enter_exit_data)?",
        holds=r"!\$omp target data",
        runs=False,
    ),
)
"""GPUs' interfaces. A construct's own time is its runtime's: of ``!$omp target`` that
is waiting, of ``acc_compute`` launching, as OpenACC's waits are regions themselves."""

THREADS: Final = (
    r"!\$omp (wait_\w+|idle|barrier|implicit barrier|taskwait)|omp_set_(nest_)?lock|"
    r"pthread_((mutex|spin)_(timed)?lock|rwlock_(timed)?(rd|wr)lock|barrier_wait|"
    r"cond_(timed)?wait|(timed)?join(_np)?)|sem_(timed|clock)?wait|"
    r"GOMP_(barrier\w*|(critical|critical_name|atomic|ordered)_start|taskwait\w*|"
    r"taskgroup_end|(loop|sections|workshare_task_reduction)_end)|"
    r"__kmpc_((cancel_)?barrier|critical(_with_hint)?|ordered|omp_taskwait|"
    r"end_taskgroup|omp_wait_deps)|std::(\w*mutex::lock\w*|thread::join|"
    r"condition_variable(_any)?::wait\w*|barrier<.*::arrive_and_wait|latch::wait)"
)
"""Names of regions in which threads wait for each other."""

THREAD_ROLES: Final = frozenset({12, *_BARRIERS, 18, _TASK_WAIT, 33})
"""OTF2_RegionRole of such regions: critical, (implicit) barrier, ordered, task wait,
thread wait. What is done in a critical or ordered block is a region inside."""

_HOLDS_TASKS: Final = re.compile(r"!\$omp taskgroup")
_COPY: Final = re.compile(r"mem(ory)?[ _]?(cpy|copy|set|fill)", re.IGNORECASE)
_ARTIFICIAL_REGIONS: Final = (
    (re.compile("flush", re.IGNORECASE), frozenset[int](), TimeState.MEASUREMENT),
    (re.compile("idle", re.IGNORECASE), _ON_STREAMS, TimeState.OUTSIDE),
)
"""What words in names of regions that a tracer makes up mean, of which paradigms."""

_VERSION: Final = re.compile(r"(_v\d+|_ptds|_ptsz|_spt)+$")
"""Which of several forms of a CUDA call it is."""

_COMPILED: Final = tuple(
    (rule, re.compile(rule.calls), re.compile(rule.waits), re.compile(rule.holds))
    for rule in INTERFACES
)
_THREADS: Final = re.compile(THREADS)


def interface_state(region: str, role: int, paradigm: int) -> TimeState | None:
    """Return what a location does in a region of a GPU's or of threads' interface.

    Parameters
    ----------
    region
        Name in the trace.
    role
        OTF2_RegionRole.
    paradigm
        OTF2_Paradigm.

    Returns
    -------
    TimeState or None
        None for a region of no such interface.

    Examples
    --------
    >>> interface_state("cuMemcpyDtoH_v2", 2, 5).label
    'wait for GPU'
    >>> interface_state("!$omp implicit barrier @solve.c:204", 16, 3).label
    'wait for threads'
    """
    is_artificial = role == _ARTIFICIAL or paradigm == _MEASUREMENT_SYSTEM
    for words, of, state in _ARTIFICIAL_REGIONS if is_artificial else ():
        if words.search(region) and (not of or paradigm in of):
            return state
    name = _VERSION.sub("", region.partition("@")[0].partition("(")[0].rstrip())
    if paradigm != _COMPILER:
        for rule, calls, waits, holds in _COMPILED:
            is_call = calls.fullmatch(name) is not None
            if is_call or paradigm == rule.paradigm:
                if holds.fullmatch(name):
                    return TimeState.COMPUTE
                if waits.fullmatch(name) or role in _BARRIERS:
                    return TimeState.WAIT_FOR_GPU
                is_call |= role == _WRAPPER or not (rule.runs or role == _KERNEL)
                return TimeState.GPU_CALL if is_call else _device_state(region, role)
    if role == _KERNEL:
        return TimeState.KERNEL
    return _threads_state(name, role, paradigm)


def _device_state(region: str, role: int) -> TimeState:
    is_copy = role == _DATA_TRANSFER or _COPY.search(region)
    return TimeState.COPY if is_copy else TimeState.KERNEL


def _threads_state(name: str, role: int, paradigm: int) -> TimeState | None:
    if paradigm != _COMPILER and _THREADS.fullmatch(name):
        return TimeState.WAIT_FOR_THREADS
    if role not in THREAD_ROLES or paradigm in _OF_PROCESSES:
        return None
    held = role == _TASK_WAIT and _HOLDS_TASKS.fullmatch(name)
    return None if held else TimeState.WAIT_FOR_THREADS
