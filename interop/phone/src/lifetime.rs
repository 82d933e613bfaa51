//! The process does not outlive the one that started it.

/// Asks the kernel for SIGKILL when the parent ends, so that no engine stays behind a killed test run.
pub fn end_with_parent() {
    // SAFETY: PR_SET_PDEATHSIG takes a signal number and touches no memory.
    let asked = unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
    // Where the kernel refuses, the end of stdin still ends the process.
    if asked != 0 {
        eprintln!("offleaf-phone: the kernel does not report the end of the parent");
    }
}
