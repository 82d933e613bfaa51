//! Virtual time, through the shim of clock-shim/ when the process was started with it.

use std::ffi::{c_longlong, CStr};
use std::mem;

const SET_OFFSET: &CStr = c"offleaf_clock_set_offset";

type SetOffset = extern "C" fn(c_longlong);

/// Moves the clocks of this process to real time plus `seconds`. An error without the shim.
pub fn set_offset(seconds: i64) -> Result<(), String> {
    // SAFETY: the name is a C string; RTLD_DEFAULT searches what is already loaded.
    let symbol = unsafe { libc::dlsym(libc::RTLD_DEFAULT, SET_OFFSET.as_ptr()) };
    if symbol.is_null() {
        return Err("the clock shim is not loaded: start the process with LD_PRELOAD=clock-shim.so".to_string());
    }
    // SAFETY: the shim defines this name as `void offleaf_clock_set_offset(long long)`.
    let set_offset = unsafe { mem::transmute::<*mut libc::c_void, SetOffset>(symbol) };
    set_offset(seconds);
    Ok(())
}
