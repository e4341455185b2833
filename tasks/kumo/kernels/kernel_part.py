"""The decorator of functions that only kernels call: without wrappers for Python, which cost compile time."""

# mypy: disable-error-code="no-untyped-call"

from perennial.tasks.compiled import njit

kernel_part = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy")
# Where a call, which counts references to each array, takes longer than what it calls.
inlined_part = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy", forceinline=True)
