//! The way into native code: the floating-point mode and clean upper register halves. The only assembly.
//!
//! Must not know what the code does.

use crate::abi::KernelArgs;

/// How the machine treats denormal floats inside a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FloatMode {
    /// Denormal operands and results are zero (decisions.md, *Numbers*).
    Flush,
    /// As IEEE 754 has it.
    Preserve,
}

/// Calls the kernel at `code` with `args`; all exceptions masked, rounding to nearest, denormals as `mode` says, and
/// everything restored after it.
///
/// # Safety
/// `code` is the entry of a finished kernel made for this machine with [`crate::isa::Isa::call_conv`], and `args`
/// keeps the promises of [`crate::abi`].
#[cfg(target_arch = "x86_64")]
pub(crate) unsafe fn call(code: *const u8, args: *mut KernelArgs, mode: FloatMode) -> u32 {
    const ALL_MASKED: u32 = 0x1f80;
    const FLUSH_RESULTS: u32 = 1 << 15;
    const FLUSH_OPERANDS: u32 = 1 << 6;
    let inside = match mode {
        FloatMode::Flush => ALL_MASKED | FLUSH_RESULTS | FLUSH_OPERANDS,
        FloatMode::Preserve => ALL_MASKED,
    };
    // The mode inside, and room for the mode outside.
    let mut modes = [inside, 0];
    let modes = modes.as_mut_ptr();
    let status: u64;
    // Dirty upper halves of the vector registers make the register allocator's legacy moves slow, hence
    // `vzeroupper` where it exists.
    macro_rules! enter {
        ($($clean:literal)?) => {
            core::arch::asm!(
                "stmxcsr [r12 + 4]",
                "ldmxcsr [r12]",
                $($clean,)?
                "call r13",
                "ldmxcsr [r12 + 4]",
                // A register that the callee keeps: it is needed after the call.
                in("r12") modes,
                in("r13") code,
                in("rdi") args,
                lateout("rax") status,
                clobber_abi("sysv64"),
            )
        };
    }
    if std::arch::is_x86_feature_detected!("avx") {
        // SAFETY: the caller promises the code and its argument; the convention is System V's on every x86-64, all
        // that it clobbers is named, and the stack is aligned where an assembly block begins.
        unsafe { enter!("vzeroupper") }
    } else {
        // SAFETY: as above.
        unsafe { enter!() }
    }
    status as u32
}

/// Calls the kernel at `code` with `args`; rounding to nearest, denormals as `mode` says, and everything restored after it.
///
/// # Safety
/// As on x86-64.
#[cfg(target_arch = "aarch64")]
pub(crate) unsafe fn call(code: *const u8, args: *mut KernelArgs, mode: FloatMode) -> u32 {
    const FLUSH: u64 = 1 << 24;
    let inside = match mode {
        FloatMode::Flush => FLUSH,
        FloatMode::Preserve => 0,
    };
    let status: u64;
    // SAFETY: the caller promises the code and its argument, and all that the convention clobbers is named; the mode
    // outside is in a register that the callee keeps.
    unsafe {
        core::arch::asm!(
            "mrs x20, fpcr",
            "msr fpcr, {inside}",
            "blr {code}",
            "msr fpcr, x20",
            inside = in(reg) inside,
            code = in(reg) code,
            inout("x0") args => status,
            out("x20") _,
            clobber_abi("C"),
        );
    }
    status as u32
}

/// Never called: no kernels are made for other machines ([`crate::isa::Isa::host`] refuses).
///
/// # Safety
/// None is needed.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) unsafe fn call(_: *const u8, _: *mut KernelArgs, _: FloatMode) -> u32 {
    unreachable!("no kernels are made for this machine")
}
