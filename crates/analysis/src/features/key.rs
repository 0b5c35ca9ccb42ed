//! The musical key: tonic and mode, by how well a recording's pitch classes match the profile of each key.
//!
//! C. Krumhansl and E. Kessler had listeners rate how well each of the twelve tones fits a key ("Tracing the dynamic
//! changes in perceived tonal organization", Psychological Review 89, 1982; C. Krumhansl, "Cognitive foundations of
//! musical pitch", 1990). The key is the one of 24 whose rotated profile has the highest Pearson correlation with the
//! mean chroma. The confidence is its lead over the second-best key. Relative and parallel keys share tones, so a lead
//! of 0.1 is already a clear result.
//!
//! A recording has no key if all pitch classes are about equally strong (their standard deviation is below
//! [`MIN_CONTRAST`] of their mean, as in noise, drums or twelve-tone music), or if no profile correlates well enough
//! ([`MIN_CORRELATION`]).

use std::fmt;

use super::chroma::CLASSES;
use super::tempo::Reasoned;

/// The major-key profile: how well each tone fits, from the tonic up.
const MAJOR: [f64; CLASSES] = [6.35, 2.23, 3.48, 2.33, 4.38, 4.09, 2.52, 5.19, 2.39, 3.66, 2.29, 2.88];
/// The minor-key profile.
const MINOR: [f64; CLASSES] = [6.33, 2.68, 3.52, 5.38, 2.60, 3.53, 2.54, 4.75, 3.98, 2.69, 3.34, 3.17];
/// Names of pitch classes.
const NAMES: [&str; CLASSES] = ["C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"];

/// The lowest standard deviation of the pitch classes, as a share of their mean.
pub const MIN_CONTRAST: f64 = 0.1;
/// The lowest correlation with the best profile.
pub const MIN_CORRELATION: f64 = 0.5;

/// A mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// With the major third.
    Major,
    /// With the minor third.
    Minor,
}

/// A musical key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// The pitch class of the tonic, 0 for C.
    pub tonic: usize,
    /// Major or minor.
    pub mode: Mode,
    /// The correlation with the key's profile, at most 1.
    pub correlation: f64,
    /// The lead of this correlation over the second-best key's, 0 or more.
    pub confidence: f64,
}

impl fmt::Display for Key {
    /// Writes the short name: "C", "F#m".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let minor = if self.mode == Mode::Minor { "m" } else { "" };
        write!(f, "{}{minor}", NAMES[self.tonic % CLASSES])
    }
}

/// Returns the mean chroma of a series of windows, or `None` if no window counts.
///
/// Each window is scaled so that its largest class is 1, so that a quiet passage counts as much as a loud one. Windows
/// whose largest class is 60 dB or more below the largest of all, and windows with a non-finite class, do not count.
pub fn mean_chroma(windows: &[[f32; CLASSES]]) -> Option<[f64; CLASSES]> {
    let most = |classes: &[f32; CLASSES]| classes.iter().copied().fold(0.0, f32::max);
    let whole = |classes: &&[f32; CLASSES]| classes.iter().all(|class| class.is_finite());
    let top = windows.iter().filter(whole).map(most).fold(0.0, f32::max);
    let mut sums = [0.0; CLASSES];
    let mut count = 0_u64;
    for classes in windows.iter().filter(whole) {
        let scale = most(classes);
        if scale > 1e-3 * top {
            sums.iter_mut().zip(classes).for_each(|(sum, class)| *sum += f64::from(class / scale));
            count += 1;
        }
    }
    (count > 0).then(|| sums.map(|sum| sum / count as f64))
}

/// Finds the key of a mean chroma.
pub fn key(chroma: &[f64; CLASSES]) -> Reasoned<Key> {
    let mean = chroma.iter().sum::<f64>() / CLASSES as f64;
    let deviation = (chroma.iter().map(|class| (class - mean).powi(2)).sum::<f64>() / CLASSES as f64).sqrt();
    if !(mean > 0.0 && mean.is_finite() && deviation.is_finite()) {
        return Err("it has no pitch classes");
    }
    if deviation < MIN_CONTRAST * mean {
        return Err("all pitch classes are about as strong");
    }
    let keys = [(Mode::Major, MAJOR), (Mode::Minor, MINOR)]
        .into_iter()
        .flat_map(|(mode, profile)| (0..CLASSES).map(move |tonic| (tonic, mode, correlation(chroma, &profile, tonic))));
    let mut keys: Vec<(usize, Mode, f64)> = keys.collect();
    keys.sort_by(|a, b| b.2.total_cmp(&a.2));
    let (tonic, mode, correlation) = keys[0];
    if correlation < MIN_CORRELATION {
        return Err("its pitch classes fit no key");
    }
    Ok(Key { tonic, mode, correlation, confidence: correlation - keys[1].2 })
}

/// Returns Pearson's correlation of the profile with the pitch classes from `tonic` up.
fn correlation(chroma: &[f64; CLASSES], profile: &[f64; CLASSES], tonic: usize) -> f64 {
    let mean = |of: &[f64; CLASSES]| of.iter().sum::<f64>() / CLASSES as f64;
    let (of_chroma, of_profile) = (mean(chroma), mean(profile));
    let (mut both, mut one, mut other) = (0.0, 0.0, 0.0);
    for (step, fit) in profile.iter().enumerate() {
        let (x, y) = (chroma[(tonic + step) % CLASSES] - of_chroma, fit - of_profile);
        both += x * y;
        one += x * x;
        other += y * y;
    }
    both / (one * other).sqrt()
}
