//! Calls into third-party decoders. A decoder may panic on malformed input. That is damage of the file and not a bug in
//! this program, so the panic is caught and nothing is printed.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    static EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// Returns the result of `call`, or `None` if it panicked. After a panic, discard everything that `call` mutated.
pub fn guarded<T>(call: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(silence_expected);
    let outer = EXPECTED.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(call)).ok();
    EXPECTED.set(outer);
    result
}

/// Installs a panic hook that skips the previous hook for panics in a guarded call.
fn silence_expected() {
    let former = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if !EXPECTED.get() {
            former(panic);
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn a_panic_inside_is_silent_and_one_outside_is_told() {
        let told = Arc::new(AtomicU32::new(0));
        let (counter, test) = (Arc::clone(&told), std::thread::current().id());
        let former = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if std::thread::current().id() == test {
                counter.fetch_add(1, Ordering::Relaxed);
            } else {
                former(panic);
            }
        }));
        // Another test may already have installed the hook underneath this one.
        silence_expected();
        assert_eq!(guarded(|| 5), Some(5));
        assert_eq!(guarded(|| -> u8 { panic!("malformed") }), None);
        assert_eq!(told.load(Ordering::Relaxed), 0);
        assert!(panic::catch_unwind(|| panic!("a fault")).is_err());
        assert_eq!(told.load(Ordering::Relaxed), 1);
    }
}
