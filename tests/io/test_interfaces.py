"""What locations do in regions of GPUs' and threads' interfaces."""

import pytest

from topoview.io.definitions.regions import region_state
from topoview.model import TimeState

USER, COMPILER, OPENMP, CUDA, SYSTEM, PTHREAD = 1, 2, 3, 5, 6, 7
OPENACC, OPENCL, HIP, OPENMP_TARGET = 18, 19, 23, 25
FUNCTION, WRAPPER, CRITICAL, CRITICAL_BLOCK, BARRIER, IMPLICIT = 1, 2, 12, 13, 15, 16
ORDERED, ORDERED_BLOCK, TASK_WAIT, ARTIFICIAL, ALLOCATE, KERNEL = 18, 19, 22, 31, 35, 40
MPI, SHMEM, THREAD_WAIT, TRANSFER, LOOP, PARALLEL, TASK = 4, 13, 33, 30, 3, 5, 20

FOR_GPU, CALL = TimeState.WAIT_FOR_GPU, TimeState.GPU_CALL
FOR_THREADS, COMPUTE = TimeState.WAIT_FOR_THREADS, TimeState.COMPUTE


@pytest.mark.parametrize(
    ("state", "paradigm", "role", "names"),
    [
        # names that traces of Score-P hold
        (FOR_GPU, CUDA, WRAPPER, "cuStreamSynchronize cuEventSynchronize"),
        (FOR_GPU, CUDA, WRAPPER, "cuCtxSynchronize cuMemcpyDtoH_v2 cuMemcpyHtoD_v2"),
        (FOR_GPU, CUDA, WRAPPER, "cuMemcpyDtoHAsync_v2"),
        (CALL, CUDA, WRAPPER, "cuLaunchKernel cuMemcpyHtoDAsync_v2 cuMemAlloc_v2"),
        (CALL, CUDA, WRAPPER, "cuEventRecord cuPointerGetAttributes cuInit"),
        (CALL, CUDA, WRAPPER, "cuModuleLoadData cuDevicePrimaryCtxRetain"),
        (FOR_GPU, CUDA, IMPLICIT, "cudaSynchronize"),
        (TimeState.MEASUREMENT, CUDA, ARTIFICIAL, "flush_cupti_activity_buffer"),
        (TimeState.KERNEL, CUDA, FUNCTION, "copy_kernel _Z13jacobi_kernelPKfPfiiS1_"),
        (TimeState.KERNEL, CUDA, FUNCTION, "clover_pack_message_left_67_gpu"),
        (FOR_GPU, HIP, WRAPPER, "hipEventSynchronize hipMemcpy"),
        (CALL, HIP, WRAPPER, "hipMemset hipLaunchKernel __hipPushCallConfiguration"),
        (CALL, HIP, ALLOCATE, "hipMalloc hipFree"),
        (FOR_GPU, OPENACC, FUNCTION, "acc_wait@pack_kernel.f90:67"),
        (CALL, OPENACC, FUNCTION, "acc_compute@a.f90:6 acc_update@a.f90:7"),
        (COMPUTE, OPENACC, FUNCTION, "acc_data@hydro.f90:46"),
        (FOR_GPU, OPENCL, WRAPPER, "clFinish clWaitForEvents"),
        (CALL, OPENCL, WRAPPER, "clEnqueueNDRangeKernel clFlush clBuildProgram"),
        (CALL, OPENCL, WRAPPER, "clEnqueueWaitForEvents clSetUserEventStatus"),
        (TimeState.KERNEL, OPENCL, FUNCTION, "$rot13"),
        (FOR_THREADS, OPENMP, WRAPPER, "omp_set_lock omp_set_nest_lock"),
        (COMPUTE, OPENMP, WRAPPER, "omp_test_lock omp_unset_lock omp_init_lock"),
        # those of the runtime interface, and of tracers that know USER alone
        (FOR_GPU, USER, FUNCTION, "cudaDeviceSynchronize cudaStreamSynchronize_ptsz"),
        (FOR_GPU, USER, FUNCTION, "cudaMemcpy cudaMemcpy2D cudaMemcpyToSymbol"),
        (FOR_GPU, USER, FUNCTION, "cudaDeviceSynchronize_v3020 cudaThreadSynchronize"),
        (CALL, USER, FUNCTION, "cudaMemcpyAsync cudaMemcpyPeer cudaLaunchKernel"),
        (CALL, USER, FUNCTION, "cudaMemcpy3DPeer cudaMemcpyToSymbolAsync cudaMalloc"),
        (CALL, USER, FUNCTION, "cuMemcpyDtoD_v2 cudaStreamWaitEvent cudaEventQuery"),
        (CALL, USER, FUNCTION, "cublasDgemm_v2 cufftExecZ2Z ncclAllReduce"),
        (FOR_GPU, USER, FUNCTION, "hipStreamSynchronize hipMemcpyDtoH"),
        (FOR_GPU, USER, FUNCTION, "hipMemcpyWithStream hsa_signal_wait_scacquire"),
        (CALL, USER, FUNCTION, "hipMemcpyAsync hipMemcpyDtoD hipStreamWaitEvent"),
        (FOR_GPU, USER, FUNCTION, "acc_wait acc_wait_all acc_async_wait acc_copyin"),
        (CALL, USER, FUNCTION, "acc_wait_async acc_copyin_async acc_malloc"),
        (FOR_GPU, USER, FUNCTION, "zeCommandQueueSynchronize zeEventHostSynchronize"),
        (FOR_GPU, USER, FUNCTION, "zeFenceHostSynchronize urQueueFinish piEventsWait"),
        (CALL, USER, FUNCTION, "zeCommandListAppendLaunchKernel zeInit"),
        (CALL, USER, FUNCTION, "zeCommandQueueExecuteCommandLists urEnqueueEventsWait"),
        # of each interface what its manual says that waits, and what returns at once
        (FOR_GPU, USER, FUNCTION, "cuCtxSynchronize cuStreamSynchronize_ptsz"),
        (FOR_GPU, USER, FUNCTION, "cuEventSynchronize cuMemcpy cuMemcpy2DUnaligned_v2"),
        (FOR_GPU, USER, FUNCTION, "cuMemcpy3D_v2 cuMemcpyAtoH_v2 cuMemcpyHtoA_v2"),
        (
            FOR_GPU,
            USER,
            FUNCTION,
            "cudaMemcpy3D cudaMemcpyFromSymbol cudaMemcpy2D_ptds",
        ),
        (FOR_GPU, USER, FUNCTION, "cudaMemcpyToArray cudaMemcpy2DFromArray"),
        (CALL, USER, FUNCTION, "cuGraphLaunch cudaGraphLaunch cuLaunchKernelEx_ptsz"),
        (CALL, USER, FUNCTION, "cuMemcpyPeer cuMemcpy3DPeer cuMemsetD8_v2 cudaMemset"),
        (CALL, USER, FUNCTION, "cuStreamQuery cuStreamWaitEvent cuMemPrefetchAsync"),
        (CALL, USER, FUNCTION, "cudaStreamAddCallback cudaLaunchCooperativeKernel"),
        (FOR_GPU, USER, FUNCTION, "hipDeviceSynchronize hipCtxSynchronize hipMemcpy3D"),
        (FOR_GPU, USER, FUNCTION, "hipStreamSynchronize_spt hipMemcpyParam2D"),
        (FOR_GPU, USER, FUNCTION, "hsa_signal_wait_relaxed hsa_amd_signal_wait_any"),
        (CALL, USER, FUNCTION, "hipGraphLaunch hipModuleLaunchKernel hipEventQuery"),
        (CALL, USER, FUNCTION, "hipMemcpyPeerAsync hipMemcpy2DAsync rocblas_dgemm"),
        (FOR_GPU, USER, FUNCTION, "acc_wait_device acc_wait_all_device acc_copyout"),
        (FOR_GPU, USER, FUNCTION, "acc_present_or_copyin acc_pcopyin acc_update_self"),
        (FOR_GPU, USER, FUNCTION, "acc_copyout_finalize acc_memcpy_device"),
        (
            CALL,
            USER,
            FUNCTION,
            "acc_async_test acc_async_test_all acc_attach acc_create",
        ),
        (
            CALL,
            USER,
            FUNCTION,
            "acc_update_self_async acc_set_device_num acc_deviceptr",
        ),
        (CALL, USER, FUNCTION, "acc_wait_all_async acc_is_present acc_delete_finalize"),
        (CALL, USER, FUNCTION, "clEnqueueBarrierWithWaitList clCreateCommandQueue"),
        (CALL, USER, FUNCTION, "clEnqueueSVMMap clCloneKernel clSetKernelArg"),
        (FOR_GPU, USER, FUNCTION, "zeCommandListHostSynchronize urEventWait"),
        (
            CALL,
            USER,
            FUNCTION,
            "zePhysicalMemCreate zeEventQueryStatus zeMemAllocShared",
        ),
        (FOR_THREADS, USER, FUNCTION, "sem_wait sem_timedwait pthread_timedjoin_np"),
        (FOR_THREADS, USER, FUNCTION, "GOMP_critical_name_start GOMP_taskgroup_end"),
        (FOR_THREADS, USER, FUNCTION, "GOMP_loop_end __kmpc_cancel_barrier"),
        (FOR_THREADS, USER, FUNCTION, "__kmpc_critical_with_hint std::mutex::lock"),
        (COMPUTE, USER, FUNCTION, "GOMP_parallel GOMP_loop_end_nowait sem_post"),
        (FOR_THREADS, PTHREAD, WRAPPER, "pthread_mutex_lock pthread_cond_wait"),
        (FOR_THREADS, USER, FUNCTION, "pthread_join pthread_barrier_wait"),
        (COMPUTE, USER, FUNCTION, "pthread_create pthread_mutex_unlock Working"),
    ],
)
def test_calls(state: TimeState, paradigm: int, role: int, names: str) -> None:
    for name in names.split():
        assert region_state(name, role, paradigm) is state, name


@pytest.mark.parametrize(
    ("state", "paradigm", "role", "name"),
    [
        (FOR_GPU, CUDA, IMPLICIT, "DEVICE SYNCHRONIZE"),
        (FOR_GPU, OPENCL, ARTIFICIAL, "WAIT FOR COMMAND QUEUE"),
        (FOR_GPU, CUDA, BARRIER, "wrapper of another name"),
        (TimeState.MEASUREMENT, OPENCL, ARTIFICIAL, "BUFFER FLUSH"),
        (TimeState.MEASUREMENT, SYSTEM, ARTIFICIAL, "TRACE BUFFER FLUSH"),
        (TimeState.OUTSIDE, CUDA, ARTIFICIAL, "compute idle"),
        (TimeState.KERNEL, HIP, KERNEL, "heavy_kernel(float*, float const*)"),
        (TimeState.KERNEL, OPENMP_TARGET, KERNEL, "__omp_offloading_fd00_solve_l12"),
        (TimeState.COPY, HIP, FUNCTION, "MEMORY_COPY_HOST_TO_DEVICE"),
        (TimeState.COPY, CUDA, FUNCTION, "[CUDA memcpy HtoD]"),
        (TimeState.COPY, CUDA, TRANSFER, "device to host"),
        (FOR_GPU, USER, FUNCTION, "sycl::_V1::queue::wait(sycl::code_location)"),
        (FOR_GPU, USER, FUNCTION, "sycl::event::wait_and_throw()"),
        (CALL, USER, FUNCTION, "sycl::_V1::handler::parallel_for<K>(sycl::range<1>)"),
        (FOR_GPU, OPENMP_TARGET, FUNCTION, "!$omp target @solve.c:12"),
        (FOR_GPU, OPENMP_TARGET, FUNCTION, "!$omp target update @solve.c:13"),
        (CALL, OPENMP_TARGET, FUNCTION, "!$omp target submit @solve.c:12"),
        (COMPUTE, OPENMP_TARGET, FUNCTION, "!$omp target data @solve.c:9"),
        (FOR_GPU, OPENMP_TARGET, FUNCTION, "!$omp target teams distribute @a.c:3"),
        (CALL, OPENMP_TARGET, FUNCTION, "!$omp target teams nowait @a.c:3"),
        (FOR_GPU, USER, FUNCTION, "omp_target_memcpy"),
        (CALL, USER, FUNCTION, "omp_target_memcpy_async"),
        (CALL, USER, FUNCTION, "omp_target_is_present"),
        (FOR_GPU, USER, FUNCTION, "__tgt_target_kernel"),
        (FOR_GPU, USER, FUNCTION, "__tgt_target_data_update_mapper"),
        (CALL, USER, FUNCTION, "__tgt_target_data_begin_nowait_mapper"),
        (FOR_GPU, USER, FUNCTION, "GOMP_target_ext"),
        (CALL, USER, FUNCTION, "GOMP_target_data_ext"),
        (FOR_GPU, USER, FUNCTION, "cl::sycl::queue::wait()"),
        (FOR_GPU, USER, FUNCTION, "sycl::_V1::event::wait_and_throw()"),
        (FOR_GPU, USER, FUNCTION, "sycl::_V1::buffer<int, 1>::~buffer()"),
        (FOR_GPU, USER, FUNCTION, "sycl::_V1::host_accessor<int>::host_accessor(b&)"),
        (CALL, USER, FUNCTION, "sycl::_V1::queue::memcpy(void*, void const*, size_t)"),
        (FOR_THREADS, USER, FUNCTION, "std::condition_variable::wait(lock&)"),
        (FOR_THREADS, OPENMP, IMPLICIT, "!$omp implicit barrier @jacobi_cuda.c:204"),
        (FOR_THREADS, OPENMP, BARRIER, "!$omp barrier"),
        (FOR_THREADS, OPENMP, IMPLICIT, "!$omp wait_barrier"),
        (FOR_THREADS, OPENMP, CRITICAL, "!$omp critical @jacobi_cuda.c:200"),
        (FOR_THREADS, OPENMP, ORDERED, "!$omp ordered @a.c:7"),
        (FOR_THREADS, OPENMP, TASK_WAIT, "!$omp taskwait"),
        (FOR_THREADS, OPENMP, ARTIFICIAL, "!$omp idle"),
        (FOR_THREADS, PTHREAD, THREAD_WAIT, "joins"),
        (FOR_THREADS, USER, FUNCTION, "!$omp implicit barrier @a.c:1"),
        (COMPUTE, OPENMP, CRITICAL_BLOCK, "!$omp critical sblock @jacobi_cuda.c:200"),
        (COMPUTE, OPENMP, ORDERED_BLOCK, "!$omp ordered sblock @a.c:7"),
        (COMPUTE, OPENMP, TASK_WAIT, "!$omp taskgroup"),
        (COMPUTE, OPENMP, LOOP, "!$omp for @jacobi_cuda.c:175"),
        (COMPUTE, OPENMP, PARALLEL, "!$omp parallel @jacobi_cuda.c:171"),
        (COMPUTE, OPENMP, TASK, "!$omp task"),
        (TimeState.BARRIER, MPI, BARRIER, "MPI_Barrier"),
        (COMPUTE, SHMEM, BARRIER, "shmem_barrier_all"),
    ],
)
def test_regions(state: TimeState, paradigm: int, role: int, name: str) -> None:
    assert region_state(name, role, paradigm) is state


OWN = (
    "wait_for_data wait_jacobi_kernel launch_jacobi_kernel_async customise cuda_solve "
    "cuboid cudaless cuSolve cuWait hips hipster clamp clear clMine zero zeWait "
    "piMember urban acc_velocity acc_wait_for_rank accelerate barrier critical "
    "omp_barriers pthread memcpy flush copy_kernel_stub init_cuda finalize_cuda idle"
)
"""Functions of a program that are no calls of an interface."""


@pytest.mark.parametrize("paradigm", [0, USER, COMPILER])
def test_functions_of_the_program_compute(paradigm: int) -> None:
    for name in OWN.split():
        assert region_state(name, FUNCTION, paradigm) is COMPUTE, name


def test_compiled_functions_are_the_programs() -> None:
    stub = "cudaError (anonymous namespace)::cudaLaunch<char>(char*)"
    for name in (stub, "cudaMemcpy", "hipMemcpy", "pthread_join", "clFinish"):
        assert region_state(name, FUNCTION, COMPILER) is COMPUTE
