//! The resources that this process uses: memory, open files, threads.

use std::fmt;

/// The resources in use at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Resources {
    /// Resident memory in KiB.
    pub memory_kib: u64,
    /// Open file descriptors.
    pub handles: u64,
    /// Threads.
    pub threads: u64,
}

impl Resources {
    /// Reads the resources of this process; `None` on systems without `/proc`.
    pub fn now() -> Option<Self> {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let field = |name: &str| -> Option<u64> {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse().ok()
        };
        let handles = std::fs::read_dir("/proc/self/fd").ok()?.count() as u64;
        Some(Self { memory_kib: field("VmRSS:")?, handles, threads: field("Threads:")? })
    }

    /// Returns the median of each resource over several moments.
    pub fn median(of: &[Self]) -> Self {
        let median = |read: fn(&Self) -> u64| {
            let mut values: Vec<u64> = of.iter().map(read).collect();
            values.sort_unstable();
            values.get(values.len() / 2).copied().unwrap_or(0)
        };
        Self {
            memory_kib: median(|of| of.memory_kib),
            handles: median(|of| of.handles),
            threads: median(|of| of.threads),
        }
    }
}

impl fmt::Display for Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { memory_kib, handles, threads } = self;
        write!(f, "{:.1} MiB, {handles} handles, {threads} threads", *memory_kib as f64 / 1024.0)
    }
}

/// Resources over a long run, to compare early with late values.
#[derive(Debug, Default)]
pub struct ResourceLog(Vec<Resources>);

impl ResourceLog {
    /// Records the current resources.
    pub fn look(&mut self) {
        self.0.extend(Resources::now());
    }

    /// Returns the medians of the second tenth (when caches have filled) and of the last tenth. `None` for fewer than
    /// 20 records.
    pub fn early_and_late(&self) -> Option<(Resources, Resources)> {
        let tenth = self.0.len() / 10;
        (tenth >= 2).then(|| {
            let late = &self.0[self.0.len() - tenth..];
            (Resources::median(&self.0[tenth..2 * tenth]), Resources::median(late))
        })
    }

    /// Asserts that memory, handles and threads do not grow from early to late.
    pub fn assert_level(&self) {
        let Some((early, late)) = self.early_and_late() else { return };
        println!("early: {early}; late: {late}");
        assert!(late.memory_kib < early.memory_kib * 5 / 4 + (64 << 10), "memory grows: {early} to {late}");
        assert!(late.handles <= early.handles + 16, "handles grow: {early} to {late}");
        assert!(late.threads <= early.threads + 8, "threads grow: {early} to {late}");
    }
}

/// A random generator (xorshift64*), deterministic for a seed.
#[derive(Debug)]
pub struct Random(pub u64);

impl Random {
    /// Returns a number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) % limit.max(1)
    }

    /// Returns a number in 0..1.
    #[allow(dead_code, reason = "not every soak needs it")]
    pub fn share(&mut self) -> f64 {
        self.below(1 << 30) as f64 / (1u64 << 30) as f64
    }

    /// Picks one of several values.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len() as u64) as usize]
    }
}
