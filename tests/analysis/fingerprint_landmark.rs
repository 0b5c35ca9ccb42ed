//! Landmark fingerprints: songs found again after common changes, and unrelated songs kept apart.

use crate::support;

use analysis::fingerprint::landmark::{
    CandidateSettings, Index, LandmarkExtractor, Landmarks, Match, Peak, Sketch, Sketches, compare, compare_short,
    verify,
};
use analysis::fingerprint::{Listener, SourceFormat};
use base::Error;
use base::progress::Progress;
use base::units::SampleRate;
use proptest::prelude::*;
use support::songs::{Random, Song};

const RATE: u32 = 22_050;
const SECONDS: f64 = 14.0;

fn landmarks_at(rate: u32, x: &[f32]) -> Landmarks {
    let mut listener = Listener::new(SourceFormat::new(SampleRate::new(rate).unwrap(), 1, None), 0.0).unwrap();
    listener.push(&[x]).unwrap();
    listener.finish().landmarks
}

fn landmarks(x: &[f32]) -> Landmarks {
    landmarks_at(RATE, x)
}

fn song(seed: u64) -> Vec<f32> {
    Song::new(seed).samples(RATE, SECONDS)
}

/// Played `speed` times as fast, by cubic interpolation.
fn played(x: &[f32], speed: f64) -> Vec<f32> {
    (0..(x.len() as f64 / speed) as usize)
        .map(|n| {
            let at = n as f64 * speed;
            let (index, t) = (at as usize, at.fract() as f32);
            let of = |offset: usize| x[(index + offset).saturating_sub(1).min(x.len() - 1)];
            let (a, b, c, d) = (of(0), of(1), of(2), of(3));
            b + 0.5 * t * (c - a + t * (2.0 * a - 5.0 * b + 4.0 * c - d + t * (3.0 * (b - c) + d - a)))
        })
        .collect()
}

/// With white noise `snr_db` below it.
fn noisy(x: &[f32], snr_db: f64, seed: u64) -> Vec<f32> {
    let mut random = Random(seed);
    let power = x.iter().map(|x| f64::from(x * x)).sum::<f64>() / x.len() as f64;
    // Uniform noise between -1 and 1 has a power of 1/3.
    let level = (3.0 * power * 10.0_f64.powf(-snr_db / 10.0)).sqrt();
    x.iter().map(|x| x + (level * (2.0 * random.unit() - 1.0)) as f32).collect()
}

/// Through a first-order low-pass at a tenth of the rate, added to itself: lows lifted by 6 dB.
fn darker(x: &[f32]) -> Vec<f32> {
    let mut low = 0.0;
    x.iter()
        .map(|x| {
            low += 0.3 * (x - low);
            0.5 * (x + low)
        })
        .collect()
}

fn found(what: &str, a: &Landmarks, b: &Landmarks) -> Match {
    compare(a, b).unwrap_or_else(|| panic!("{what}: not found"))
}

#[test]
fn songs_are_found_again_after_what_happens_to_recordings() {
    for seed in 1..=5 {
        let x = song(seed);
        let original = landmarks(&x);
        let eight_bits: Vec<f32> = x.iter().map(|x| (x * 127.0).round() / 127.0).collect();
        let quieter: Vec<f32> = x.iter().map(|x| 0.5 * x).collect();
        let louder: Vec<f32> = x.iter().map(|x| (2.0 * x).clamp(-1.0, 1.0)).collect();
        for (what, changed, least) in [
            ("copy", x.clone(), 0.999),
            ("8 bits", eight_bits, 0.9),
            ("-6 dB", quieter, 0.9),
            ("+6 dB, clipped", louder, 0.5),
            ("equaliser", darker(&x), 0.6),
            ("10 dB of noise", noisy(&x, 10.0, seed), 0.4),
        ] {
            let found = found(&format!("song {seed}, {what}"), &original, &landmarks(&changed));
            assert!(found.score >= least, "song {seed}, {what}: {found:?}");
            assert!((found.speed - 1.0).abs() < 2e-3 && found.pitch_semitones.abs() < 0.03, "{what}: {found:?}");
            assert!(found.offset_s.abs() < 0.02 && found.overlap_s > SECONDS - 2.5, "{what}: {found:?}");
        }
    }
}

#[test]
fn cuts_say_where_they_were_cut() {
    for seed in 1..=3 {
        let x = song(seed);
        let cut = &x[4 * RATE as usize..11 * RATE as usize];
        let found = found("cut", &landmarks(cut), &landmarks(&x));
        assert!(found.score > 0.8 && (found.offset_s - 4.0).abs() < 0.02, "{found:?}");
        assert!(found.start_s < 0.6 && found.overlap_s > 5.5, "{found:?}");
        let back = compare(&landmarks(&x), &landmarks(cut)).unwrap();
        assert!((back.offset_s + 4.0).abs() < 0.03 && (back.start_s - found.start_s - 4.0).abs() < 0.05, "{back:?}");
    }
}

#[test]
fn speed_tempo_and_pitch_are_told_apart() {
    for seed in 1..=3 {
        let x = song(seed);
        let original = landmarks(&x);
        for speed in [0.95, 0.98, 1.02, 1.05] {
            let found = found("speed", &original, &landmarks(&played(&x, speed)));
            assert!((found.speed - speed).abs() < 0.002, "{speed}: {found:?}");
            assert!((found.pitch_semitones - 12.0 * speed.log2()).abs() < 0.05, "{speed}: {found:?}");
            assert!(found.score > 0.4 && found.overlap_s > 9.0, "{speed}: {found:?}");
        }
        let of = |song: Song| landmarks(&song.samples(RATE, SECONDS));
        let base = of(Song::new(seed).in_key(3).at_tempo(110.0));
        let slower = found("tempo", &base, &of(Song::new(seed).in_key(3).at_tempo(105.0)));
        assert!((slower.speed - 105.0 / 110.0).abs() < 0.004 && slower.pitch_semitones.abs() < 0.05, "{slower:?}");
        let higher = found("pitch", &base, &of(Song::new(seed).in_key(4).at_tempo(110.0)));
        assert!((higher.speed - 1.0).abs() < 0.004 && (higher.pitch_semitones - 1.0).abs() < 0.05, "{higher:?}");
    }
}

#[test]
fn strangers_are_strangers() {
    let songs: Vec<Landmarks> = (10..18).map(|seed| landmarks(&song(seed))).collect();
    for (index, a) in songs.iter().enumerate() {
        for b in &songs[..index] {
            assert_eq!(compare(a, b), None);
        }
    }
    // The same key and tempo, other notes.
    let alike: Vec<Landmarks> =
        (20..26).map(|seed| landmarks(&Song::new(seed).in_key(5).at_tempo(120.0).samples(RATE, SECONDS))).collect();
    for (index, a) in alike.iter().enumerate() {
        for b in &alike[..index] {
            assert_eq!(compare(a, b), None);
        }
    }
}

#[test]
fn recordings_of_a_few_seconds_are_found_again() {
    for (seed, seconds) in [(1, 2.0), (2, 3.0), (3, 5.0), (4, 8.0)] {
        let x = Song::new(seed).samples(RATE, seconds);
        let (original, frames) = (landmarks(&x), x.len());
        let quieter: Vec<f32> = x.iter().map(|x| 0.5 * x).collect();
        let eight_bits: Vec<f32> = x.iter().map(|x| (x * 127.0).round() / 127.0).collect();
        let cut = x[frames / 8..frames * 7 / 8].to_vec();
        let offset_s = -(frames as f64 / 8.0 / f64::from(RATE));
        for (what, changed, speed, at) in [
            ("copy", x.clone(), 1.0, 0.0),
            ("8 bits", eight_bits, 1.0, 0.0),
            ("-6 dB", quieter, 1.0, 0.0),
            ("equaliser", darker(&x), 1.0, 0.0),
            ("cut", cut, 1.0, offset_s),
            ("2 % faster", played(&x, 1.02), 1.02, 0.0),
            ("5 % slower", played(&x, 0.95), 0.95, 0.0),
        ] {
            let found = compare_short(&original, &landmarks(&changed));
            let found = found.unwrap_or_else(|| panic!("{seconds} s, {what}: not found"));
            assert!((found.speed - speed).abs() < 0.01 && found.score >= 0.5, "{seconds} s, {what}: {found:?}");
            assert!((found.offset_s - at).abs() < 0.05, "{seconds} s, {what}: {found:?}");
            assert!(found.overlap_s > 0.7 * seconds, "{seconds} s, {what}: {found:?}");
        }
    }
}

#[test]
fn strangers_of_a_few_seconds_are_strangers() {
    for seconds in [1.0, 1.5, 2.0, 4.0] {
        // The same key and tempo, other notes: as alike as strangers can be.
        let of = |seed| landmarks(&Song::new(seed).in_key(5).at_tempo(120.0).samples(RATE, seconds));
        let songs: Vec<Landmarks> = (40..60).map(of).collect();
        for (index, a) in songs.iter().enumerate() {
            for b in &songs[..index] {
                assert_eq!(compare_short(a, b), None);
            }
        }
    }
    let long = landmarks(&Song::new(1).samples(RATE, 45.0));
    assert_eq!(compare_short(&long, &long), None);
    let nothing = Landmarks::default();
    assert_eq!(compare_short(&nothing, &nothing), None);
}

#[test]
fn a_shuffled_fingerprint_is_refused() {
    let original = landmarks(&song(1));
    let mut shuffled = original.clone();
    let mut random = Random(1);
    for peak in &mut shuffled.peaks {
        peak.time = random.below(u64::from(original.length)) as u32;
    }
    shuffled.peaks.sort_unstable();
    assert!(compare(&original, &original).is_some());
    assert_eq!(compare(&original, &shuffled), None);
}

#[test]
fn nothing_is_found_in_nothing() {
    let frames = 10 * RATE as usize;
    let silence = landmarks(&vec![0.0; frames]);
    assert!(silence.peaks.is_empty() && (silence.seconds() - 10.0).abs() < 0.1);
    let constant = landmarks(&vec![0.5; frames]);
    let tone: Vec<f32> = (0..frames).map(|n| (n as f32 * 0.1).sin() * 0.5).collect();
    let noise = |seed| landmarks(&noisy(&vec![1e-3; frames], -40.0, seed));
    let tiny = landmarks(&song(1)[..1000]);
    let broken = landmarks(&vec![f32::NAN; frames]);
    let (tone, first, second) = (landmarks(&tone), noise(1), noise(2));
    for other in [&silence, &constant, &tone, &first, &tiny, &broken] {
        assert_eq!(compare(&silence, other), None);
        assert_eq!(compare(other, &second), None);
        assert_eq!(compare(&landmarks(&song(1)), other), None);
    }
    assert!(broken.peaks.is_empty() && tiny.peaks.is_empty());
}

#[test]
fn rates_and_channels_give_one_fingerprint() {
    let seconds = 8.0;
    let reference = landmarks(&Song::new(4).samples(RATE, seconds));
    for rate in [16_000, 44_100, 48_000, 96_000] {
        // The song's noise differs from rate to rate, its notes do not.
        let found = found("rate", &landmarks_at(rate, &Song::new(4).samples(rate, seconds)), &reference);
        assert!(
            found.score > 0.5 && (found.speed - 1.0).abs() < 2e-3 && found.offset_s.abs() < 0.03,
            "{rate}: {found:?}"
        );
    }
    let x = Song::new(4).samples(RATE, seconds);
    for channels in [2, 6] {
        let planes = vec![x.as_slice(); channels];
        let source = SourceFormat::new(SampleRate::new(RATE).unwrap(), channels, None);
        let mut listener = Listener::new(source, 0.0).unwrap();
        listener.push(&planes).unwrap();
        let found = found("channels", &listener.finish().landmarks, &reference);
        assert!(found.score > 0.99, "{channels} channels: {found:?}");
    }
}

#[test]
fn blocks_give_the_landmarks_of_the_whole() {
    let x = Song::new(2).samples(11_025, 6.0);
    let of = |size: usize| {
        let mut listening = LandmarkExtractor::default();
        x.chunks(size).for_each(|block| listening.push(block));
        listening.finish()
    };
    let whole = of(x.len());
    assert!(whole.peaks.len() > 40 && whole.peaks.is_sorted());
    for size in [1, 255, 256, 2049, 10_000] {
        assert_eq!(of(size), whole);
    }
}

fn library(count: u64) -> Vec<Landmarks> {
    (100..100 + count).map(|seed| landmarks(&song(seed))).collect()
}

#[test]
fn an_index_identifies_clips_and_forgets_what_is_removed() {
    let tracks = library(12);
    let mut index = Index::default();
    for (number, track) in tracks.iter().enumerate() {
        index.add(number as u32, track).unwrap();
    }
    assert!(matches!(index.add(3, &tracks[3]), Err(Error::Invalid { .. })));
    assert!(matches!(index.add(Index::MAX_TRACKS, &tracks[3]), Err(Error::Limit { .. })));
    let clip = |seed: u64, speed: f64| {
        let x = &song(100 + seed)[3 * RATE as usize..];
        landmarks(&noisy(&played(x, speed), 12.0, seed))
    };
    let verified = |index: &Index, clip: &Landmarks| -> Vec<(u32, Match)> {
        let candidates = index.candidates(clip, 4);
        candidates.iter().filter_map(|c| verify(clip, &tracks[c.track as usize], c).map(|m| (c.track, m))).collect()
    };
    for settled in [false, true] {
        if settled {
            index.settle();
        }
        for (seed, speed) in [(0, 1.0), (5, 1.03), (11, 0.97)] {
            let [(track, found)] = verified(&index, &clip(seed, speed))[..] else { panic!("one track") };
            assert_eq!(u64::from(track), seed);
            assert!((found.offset_s - 3.0).abs() < 0.05 && (found.speed * speed - 1.0).abs() < 0.003, "{found:?}");
        }
        assert!(verified(&index, &landmarks(&song(50))).is_empty());
    }
    index.remove(5);
    assert!(verified(&index, &clip(5, 1.0)).is_empty());
    assert_eq!(index.len(), 11);
    index.add(5, &tracks[5]).unwrap();
    assert_eq!(verified(&index, &clip(5, 1.0))[0].0, 5);
    assert!(index.bytes() > 0 && !index.is_empty());
}

#[test]
fn bytes_are_small_and_say_their_version() {
    let track = landmarks(&song(7));
    let bytes = track.to_bytes();
    assert_eq!(Landmarks::from_bytes(&bytes).unwrap(), track);
    assert!(bytes.len() as f64 / track.seconds() * 240.0 < 40_000.0, "{} bytes", bytes.len());
    let mut other = bytes.clone();
    other[0] = Landmarks::VERSION + 1;
    assert!(matches!(Landmarks::from_bytes(&other), Err(Error::Stored(_))));
    for cut in 0..bytes.len() {
        assert!(Landmarks::from_bytes(&bytes[..cut]).is_err(), "{cut} bytes");
    }
    assert!(matches!(Landmarks::from_bytes(&[&bytes[..], &[0]].concat()), Err(Error::Stored(_))));
    let nothing = Landmarks::default();
    assert_eq!(Landmarks::from_bytes(&nothing.to_bytes()).unwrap(), nothing);
    // A count without the bytes for it.
    assert!(Landmarks::from_bytes(&[1, 0, 0xff, 0xff, 0xff, 0xff, 0x0f]).is_err());
}

#[test]
fn a_sketch_is_small_and_says_its_version() {
    let track = landmarks(&song(7));
    let sketch = Sketch::of(&track);
    let bytes = sketch.to_bytes();
    assert_eq!(Sketch::from_bytes(&bytes).unwrap(), sketch);
    assert!(bytes.len() > 1000 && bytes.len() <= 3 + 600 * 6, "{} bytes", bytes.len());
    for version in 0..2 {
        let mut other = bytes.clone();
        other[version] += 1;
        assert!(matches!(Sketch::from_bytes(&other), Err(Error::Stored(_))));
    }
    for cut in [0, 1, 2, 4, bytes.len() - 1] {
        assert!(Sketch::from_bytes(&bytes[..cut]).is_err(), "{cut} bytes");
    }
    let mut high = bytes.clone();
    high[8] = 0xff;
    assert!(Sketch::from_bytes(&high).is_err());
    assert!(Sketch::from_bytes(&[&bytes[..], &[0; 6000]].concat()).is_err());
    let nothing = Sketch::of(&Landmarks::default());
    assert_eq!(Sketch::from_bytes(&nothing.to_bytes()).unwrap(), nothing);
}

fn peaks() -> impl Strategy<Value = Vec<Peak>> {
    let peak = (0_u32..40_000, 0_u16..1152, 0_u8..32);
    prop::collection::btree_set(peak, 0..300)
        .prop_map(|set| set.into_iter().map(|(time, place, strength)| Peak { time, place, strength }).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_peaks_survive_their_bytes_and_comparisons(peaks in peaks()) {
        let landmarks = Landmarks { peaks, length: 30_000 };
        prop_assert_eq!(&Landmarks::from_bytes(&landmarks.to_bytes()).unwrap(), &landmarks);
        let _ = compare(&landmarks, &landmarks);
        let short = Landmarks { length: 3000, ..landmarks };
        let _ = compare_short(&short, &short);
    }

    #[test]
    fn any_bytes_are_landmarks_or_an_error(mut bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Some(version) = bytes.first_mut() {
            *version = Landmarks::VERSION;
        }
        if let Ok(landmarks) = Landmarks::from_bytes(&bytes) {
            prop_assert!(landmarks.peaks.is_sorted());
            let _ = compare(&landmarks, &landmarks);
        }
    }
}

fn proposed(tracks: &[Option<Landmarks>], settings: &CandidateSettings) -> Vec<(usize, usize)> {
    proposed_of(tracks, None, settings)
}

fn proposed_of(
    tracks: &[Option<Landmarks>],
    new: Option<&[bool]>,
    settings: &CandidateSettings,
) -> Vec<(usize, usize)> {
    let mut sketches = Sketches::new(settings).unwrap();
    // In parts of any size.
    tracks
        .chunks(7)
        .for_each(|part| sketches.add(part, |track| track.as_ref().map(Sketch::of), &Progress::new()).unwrap());
    sketches.candidates(new, &Progress::new()).unwrap()
}

#[test]
fn new_tracks_propose_what_all_propose_of_them() {
    let mut tracks: Vec<Option<Landmarks>> = Vec::new();
    for x in (61..=63).map(song) {
        tracks.push(Some(landmarks(&x)));
        tracks.extend([0.97, 1.0, 1.04].map(|speed| Some(landmarks(&played(&x, speed)))));
    }
    tracks.push(None);
    let settings = CandidateSettings::default();
    let all = proposed(&tracks, &settings);
    assert!(all.len() >= 9, "{all:?}");
    // None, one in three, and all of them; the new ones before the old ones of a recording and behind.
    let none = vec![false; tracks.len()];
    let third: Vec<bool> = (0..tracks.len()).map(|track| track % 3 == 1).collect();
    for new in [none, third, vec![true; tracks.len()]] {
        let expected: Vec<_> = all.iter().copied().filter(|&(a, b)| new[a] || new[b]).collect();
        assert_eq!(proposed_of(&tracks, Some(&new), &settings), expected, "{new:?}");
    }
}

#[test]
fn changed_copies_are_proposed_and_strangers_are_not() {
    let mut tracks: Vec<Landmarks> = (30..38).map(|seed| landmarks(&song(seed))).collect();
    let strangers = tracks.len();
    let mut wanted = Vec::new();
    // Songs that were not used for tuning.
    let originals: Vec<Vec<f32>> = (61..=64).map(song).collect();
    for (number, x) in originals.iter().enumerate() {
        let original = tracks.len();
        tracks.push(landmarks(x));
        for speed in [0.95, 0.98, 1.02, 1.05] {
            wanted.push((original, tracks.len()));
            tracks.push(landmarks(&played(x, speed)));
        }
        wanted.push((original, tracks.len()));
        tracks.push(landmarks(&noisy(x, 10.0, number as u64)));
    }
    // The same notes a semitone higher, and slower.
    for (key, tempo) in [(3, 110.0), (4, 110.0), (3, 105.0)] {
        let first = strangers + 24;
        wanted.extend((tracks.len() > first).then_some((first, tracks.len())));
        tracks.push(landmarks(&Song::new(67).in_key(key).at_tempo(tempo).samples(RATE, SECONDS)));
    }
    let tracks: Vec<Option<Landmarks>> = tracks.into_iter().map(Some).collect();
    let settings = CandidateSettings::default();
    let found = proposed(&tracks, &settings);
    let missing: Vec<_> = wanted.iter().filter(|pair| found.binary_search(pair).is_err()).collect();
    assert!(missing.len() <= wanted.len() / 10, "{missing:?} of {} are missing", wanted.len());
    assert!(found.is_sorted() && found.iter().all(|(a, b)| a < b));
    // Six versions of each of four songs, three of another; all else are mistakes for the verification to throw out.
    let group = |track: usize| track.checked_sub(strangers).map(|track| track / 6);
    let mistakes = found.iter().filter(|(a, b)| group(*a).is_none() || group(*a) != group(*b)).count();
    assert!(mistakes <= 3, "{mistakes} of {} pairs of strangers", tracks.len() * (tracks.len() - 1) / 2);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(pool.install(|| proposed(&tracks, &settings)), found);
    // Tracks without landmarks change nothing for the others.
    let without: Vec<_> = std::iter::once(None).chain(tracks).chain([None, Some(Landmarks::default())]).collect();
    let moved: Vec<(usize, usize)> = found.iter().map(|(a, b)| (a + 1, b + 1)).collect();
    assert_eq!(proposed(&without, &settings), moved);
}

/// A recording of random peaks.
fn random_peaks(seed: u64) -> Landmarks {
    let mut random = Random(seed);
    let mut below = |count: u64| random.below(count);
    let mut peaks: Vec<Peak> = (0..600)
        .map(|_| Peak { time: below(8000) as u32, place: below(1152) as u16, strength: below(32) as u8 })
        .collect();
    peaks.sort_unstable();
    peaks.dedup();
    Landmarks { peaks, length: 8000 }
}

/// With times and places changed, and every third peak lost.
fn changed(landmarks: &Landmarks, slower: f64, higher: i16) -> Landmarks {
    let later = |time: u32| (f64::from(time) * slower).round() as u32 + 300;
    let kept = landmarks.peaks.iter().enumerate().filter(|(index, _)| index % 3 > 0).map(|(_, peak)| peak);
    let peaks = kept.filter_map(|peak| {
        let place = peak.place.checked_add_signed(higher).filter(|place| *place < 1152)?;
        Some(Peak { time: later(peak.time), place, ..*peak })
    });
    Landmarks { peaks: peaks.collect(), length: later(landmarks.length) }
}

#[test]
fn sketches_that_fill_their_memory_are_thinned_alike_and_still_find_copies() {
    let mut tracks: Vec<Option<Landmarks>> = (0..150).map(|seed| Some(random_peaks(seed))).collect();
    for (of, slower, higher) in [(3, 1.05, -20), (40, 0.95, 20), (90, 1.0, 0), (149, 1.0, 20), (0, 1.04, 0)] {
        let copy = changed(tracks[of].as_ref().unwrap(), slower, higher);
        tracks.push(Some(copy));
    }
    let scarce = CandidateSettings { memory_bytes: 0, ..CandidateSettings::default() };
    let copies = vec![(0, 154), (3, 150), (40, 151), (90, 152), (149, 153)];
    assert_eq!(proposed(&tracks, &CandidateSettings::default()), copies);
    assert_eq!(proposed(&tracks, &scarce), copies);
    assert!(proposed(&[], &scarce).is_empty() && proposed(&tracks[..1], &scarce).is_empty());
}

#[test]
fn a_crowd_of_one_recording_is_proposed_as_pairs_of_it() {
    let track = Some(random_peaks(7));
    let mut tracks = vec![track; 30];
    tracks.extend((100..130).map(|seed| Some(random_peaks(seed))));
    let found = proposed(&tracks, &CandidateSettings::default());
    assert!(found.len() == 30 * 29 / 2 && found.iter().all(|&(_, b)| b < 30));
}

#[test]
fn what_cannot_be_sketched_is_refused_and_work_is_counted() {
    let settings = CandidateSettings::default();
    assert!(matches!(Sketches::new(&CandidateSettings { votes: 0, ..settings }), Err(Error::Invalid { .. })));
    let progress = Progress::new();
    let mut sketches = Sketches::new(&settings).unwrap();
    let many = vec![(); Sketches::MAX_TRACKS + 1];
    assert!(matches!(sketches.add(&many, |()| None, &progress), Err(Error::Limit { .. })));
    sketches.add(&[1, 2, 3], |&seed| Some(Sketch::of(&random_peaks(seed))), &progress).unwrap();
    assert!(sketches.candidates(None, &progress).unwrap().is_empty());
    assert_eq!((progress.snapshot().done, progress.snapshot().total), (6, 6));
    progress.cancel();
    let mut sketches = Sketches::new(&settings).unwrap();
    assert!(matches!(
        sketches.add(&[1], |&seed| Some(Sketch::of(&random_peaks(seed))), &progress),
        Err(Error::Cancelled)
    ));
    assert!(matches!(sketches.candidates(None, &progress), Err(Error::Cancelled)));
}
