//! The sound that a listener gets, recorded at the sound server's output.

use std::sync::Arc;
use std::time::{Duration, Instant};

use undertone::audio::AudioBuffer;
use undertone::chain::{Chain, MeasuredMap, Placement, Rendered, Seeking};
use undertone::measure::resample::{ResamplePlan, ResampledReader};
use undertone::playback::{ChainSource, Player, Side, Transport, outputs};
use undertone::units::SampleRate;

use super::pulse::{Pulse, start, without_server};
use super::signal::{Finder, all, channel, noise, opener, residual_db};

const CHAIN: &str = "highpass(300 Hz, order=4) | peaking(2 kHz, q=2, gain=6 dB) | gain(-6 dB)";

fn chain(text: &str) -> Chain {
    text.parse().unwrap()
}

fn wait(player: &Player, what: &str, done: impl Fn(&Transport) -> bool) -> Transport {
    let begun = Instant::now();
    loop {
        let transport = player.transport();
        if done(&transport) {
            return transport;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{what}: {transport:?}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn source(rate: u32, samples: AudioBuffer) -> Arc<ChainSource> {
    Arc::new(ChainSource::new(opener(rate, samples), Placement::cpu()).unwrap())
}

fn rendered(text: &str, rate: u32, samples: AudioBuffer) -> Rendered {
    let reader = opener(rate, samples)().unwrap();
    Rendered::new(&chain(text), reader, &Placement::cpu(), &MeasuredMap::default(), Seeking::Exact).unwrap()
}

/// The length of a piece that is searched for in the recorded output, in frames.
const PIECE: usize = 1_200;

/// The maximum residual of a piece that counts as heard, in dB. Any filter or conversion of the server would leave
/// more.
const HEARD_DB: f64 = -90.0;

/// Plays a recording through [`CHAIN`] into a sink and searches its output for each piece of the expected signal, in
/// order. On a busy machine the sound server or its recorder may be late, and samples are lost between pieces. Playback
/// is repeated until each piece has been heard correctly. A piece that is never correct in ten runs is an error of the
/// chain.
fn played_and_recorded(pulse: &Pulse, rate: u32, wanted: &AudioBuffer, samples: &AudioBuffer) {
    let mut heard = vec![false; wanted.frames() / PIECE];
    for _ in 0..10 {
        let recording = pulse.record("main", 48_000);
        let player = Player::new(None);
        player.load(Some(source(rate, samples.clone())), chain(CHAIN));
        player.play(0, None);
        wait(&player, "begins", |transport| transport.playing);
        let end = wait(&player, "ends", |transport| !transport.playing);
        assert_eq!(end.problem, None);
        recording.wait_for(24_000);
        let places = pieces_heard(&recording.end(), wanted);
        let found: Vec<usize> = places.iter().flatten().copied().collect();
        println!("{rate} Hz: {} of {} pieces, {} under-runs", found.len(), heard.len(), end.underruns);
        assert!(found.is_sorted(), "pieces out of order: {places:?}");
        for (heard, place) in heard.iter_mut().zip(&places) {
            *heard |= place.is_some();
        }
        if heard.iter().all(|&heard| heard) {
            return;
        }
    }
    panic!("pieces never heard as rendered at {rate} Hz: {heard:?}");
}

/// Returns the position of each expected piece in interleaved stereo, if both channels are correct there.
fn pieces_heard(recorded: &[f32], wanted: &AudioBuffer) -> Vec<Option<usize>> {
    let channels = [channel(recorded, 0), channel(recorded, 1)];
    let finder = Finder::new(&channels[0], PIECE);
    (0..wanted.frames() / PIECE)
        .map(|piece| {
            let wanted = |index: usize| &wanted.channel(index)[piece * PIECE..][..PIECE];
            let place = finder.find(wanted(0));
            let heard = |index: usize| {
                let got = channels[index].get(place..place + PIECE);
                got.is_some_and(|got| residual_db(got, wanted(index)) < HEARD_DB)
            };
            (heard(0) && heard(1)).then_some(place)
        })
        .collect()
}

#[test]
fn the_monitor_hears_the_rendered_samples() {
    let Some(pulse) = start(&[("main", 48_000)]) else { return };
    let samples = noise(72_000);
    let wanted = all(rendered(CHAIN, 48_000, samples.clone()));
    played_and_recorded(&pulse, 48_000, &wanted, &samples);
}

/// The negative control: the comparison finds a signal that lost a piece in between, and refuses the unprocessed
/// recording and swapped channels.
#[test]
fn pieces_are_found_across_a_gap_and_nothing_else_is() {
    let samples = noise(9_600);
    let wanted = all(rendered(CHAIN, 48_000, samples.clone()));
    let interleaved = |left: &[f32], right: &[f32]| -> Vec<f32> {
        let silence = vec![0.0; 2 * 700];
        let frames = left.iter().zip(right).flat_map(|(&left, &right)| [left, right]);
        silence.iter().copied().chain(frames).chain(silence.iter().copied()).collect()
    };
    let mut lossy = interleaved(wanted.channel(0), wanted.channel(1));
    lossy.drain(2 * 5_000..2 * 5_300);
    let places = pieces_heard(&lossy, &wanted);
    let right: Vec<_> = [0, 1, 2].into_iter().map(|piece| Some(700 + piece * PIECE)).collect();
    assert_eq!(places[..3], right);
    assert_eq!(places[3], None);
    assert_eq!(places[4..], [4, 5, 6, 7].map(|piece| Some(400 + piece * PIECE)));
    let unprocessed = interleaved(samples.channel(0), samples.channel(1));
    assert_eq!(pieces_heard(&unprocessed, &wanted), [None; 8]);
    let crossed = interleaved(wanted.channel(1), wanted.channel(0));
    assert_eq!(pieces_heard(&crossed, &wanted), [None; 8]);
}

#[test]
fn another_rate_is_converted_at_full_quality() {
    let Some(pulse) = start(&[("main", 48_000)]) else { return };
    let samples = noise(66_150);
    let plan = ResamplePlan::new(SampleRate::new(44_100).unwrap(), SampleRate::new(48_000).unwrap());
    let wanted = all(ResampledReader::new(rendered(CHAIN, 44_100, samples.clone()), &plan));
    played_and_recorded(&pulse, 44_100, &wanted, &samples);
}

/// The sound server's client keeps its socket and its thread while the server lives.
#[test]
fn asking_for_outputs_again_and_again_opens_one_connection() {
    let Some(_pulse) = start(&[("main", 48_000)]) else { return };
    let handles = || std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    assert_eq!(outputs().unwrap().len(), 1);
    drop(Player::new(None));
    let before = handles();
    for _ in 0..20 {
        assert_eq!(outputs().unwrap().len(), 1);
        let player = Player::new(Some("pulseaudio:gone".to_owned()));
        player.load(Some(source(48_000, noise(4_800))), chain(CHAIN));
        player.play(0, None);
        wait(&player, "begins", |transport| transport.playing || transport.problem.is_some());
    }
    // Other tests of this program may open connections as well; each has three handles.
    assert!(handles() < before + 20, "{before} handles, then {}", handles());
}

/// A signal 60 dB over full scale must not reach the sink.
#[test]
fn what_is_too_loud_reaches_no_sink() {
    let Some(pulse) = start(&[("main", 48_000)]) else { return };
    let recording = pulse.record("main", 48_000);
    let player = Player::new(None);
    player.load(Some(source(48_000, noise(10 * 48_000))), chain("gain(60 dB)"));
    player.play(0, None);
    let muted = wait(&player, "is muted", |transport| transport.muted_db.is_some());
    assert!(!muted.playing && muted.muted_db > Some(40.0), "{muted:?}");
    recording.wait_for(24_000);
    let recorded = recording.end();
    assert!(recorded.iter().all(|sample| sample.abs() <= 1.0));
    // A few milliseconds at full scale, a fade-out, and silence.
    let loud = recorded.iter().filter(|sample| sample.abs() > 0.0).count();
    assert!(loud < 2 * 480, "{loud} samples sound");
}

#[test]
fn changes_are_heard_within_a_tenth_of_a_second_and_counted() {
    let Some(_pulse) = start(&[("main", 48_000)]) else { return };
    let player = Player::new(None);
    player.load(Some(source(48_000, noise(20 * 48_000))), chain(CHAIN));
    player.play(0, None);
    wait(&player, "begins", |transport| transport.frame > 4_800);
    for gain in [-3, -9, -1] {
        let before = player.transport().heard_after_ms;
        player.set_chain(chain(&format!("highpass(300 Hz) | gain({gain} dB)")));
        let transport = wait(&player, "is heard", |transport| transport.heard_after_ms != before);
        // The bench measures the exact latency. This test checks that it is reported, and its order of magnitude.
        assert!(transport.heard_after_ms.is_some_and(|after_ms| (0.0..2000.0).contains(&after_ms)), "{transport:?}");
    }
    player.set_side(Side::Original);
    wait(&player, "changes sides", |transport| transport.side == Side::Original);
    let meters = player.meters();
    assert_eq!(meters.peak.len(), 2);
    assert!(meters.peak[0] > 0.05 && meters.rms[0] > 0.02 && meters.rms[0] < meters.peak[0], "{meters:?}");
}

#[test]
fn a_sink_pulled_out_moves_playback_to_the_new_default() {
    let Some(pulse) = start(&[("main", 48_000), ("spare", 44_100)]) else { return };
    assert_eq!(outputs().unwrap().len(), 2);
    let player = Player::new(None);
    player.load(Some(source(48_000, noise(30 * 48_000))), chain(CHAIN));
    player.play(0, None);
    let first = wait(&player, "begins", |transport| transport.frame > 9_600);
    assert!(first.output.unwrap().id.contains("main"));
    let recording = pulse.record("spare", 44_100);
    pulse.unplug("main");
    let moved = wait(&player, "moves", |transport| {
        transport.playing && transport.output.as_ref().is_some_and(|output| output.id.contains("spare"))
    });
    let at = moved.frame;
    wait(&player, "goes on", |transport| transport.frame > at + 24_000);
    let recorded = recording.end();
    assert!(recorded.iter().any(|sample| sample.abs() > 0.05), "the spare sink hears it");
}

#[test]
fn the_last_sink_pulled_out_pauses_with_a_message_and_a_new_one_plays() {
    let Some(pulse) = start(&[("main", 48_000)]) else { return };
    let player = Player::new(None);
    player.load(Some(source(48_000, noise(30 * 48_000))), chain(CHAIN));
    player.play(0, None);
    let before = wait(&player, "begins", |transport| transport.frame > 9_600);
    pulse.unplug("main");
    let paused = wait(&player, "pauses", |transport| !transport.playing);
    println!("{:?}", paused.problem);
    assert!(paused.problem.is_some());
    assert!(paused.frame >= before.frame && paused.frame < before.frame + 5 * 48_000, "{paused:?}");
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(player.transport().frame, paused.frame, "no clock is faked");
    pulse.plug("back", 48_000);
    player.play(paused.frame, None);
    let again = wait(&player, "plays again", |transport| transport.frame > paused.frame + 9_600);
    assert_eq!(again.problem, None);
}

#[test]
fn a_new_default_is_followed_and_a_chosen_output_is_not_left() {
    let Some(pulse) = start(&[("main", 48_000), ("spare", 48_000)]) else { return };
    let player = Player::new(None);
    player.load(Some(source(48_000, noise(30 * 48_000))), chain(CHAIN));
    player.play(0, None);
    wait(&player, "begins", |transport| transport.frame > 4_800);
    pulse.control(&["set-default-sink", "spare"]);
    let on =
        |transport: &Transport, name: &str| transport.output.as_ref().is_some_and(|output| output.id.contains(name));
    wait(&player, "follows", |transport| transport.playing && on(transport, "spare"));
    let main = outputs().unwrap().into_iter().find(|output| output.id.contains("main")).unwrap();
    player.set_output(Some(main.id));
    wait(&player, "obeys", |transport| transport.playing && on(transport, "main"));
    pulse.control(&["set-default-sink", "main"]);
    pulse.control(&["set-default-sink", "spare"]);
    std::thread::sleep(Duration::from_millis(1500));
    assert!(on(&player.transport(), "main"));
}

#[test]
fn with_no_sound_system_all_else_works_and_the_reason_is_told() {
    let _turn = without_server();
    let player = Player::new(None);
    player.load(Some(source(48_000, noise(4_800))), chain(CHAIN));
    player.seek(1_000);
    player.play(1_000, None);
    let told = wait(&player, "tells", |transport| transport.playing || transport.problem.is_some());
    if told.playing {
        eprintln!("SKIPPED: this machine has a sound card of its own");
        return;
    }
    println!("{:?}", told.problem);
    std::thread::sleep(Duration::from_millis(300));
    let later = player.transport();
    assert!(!later.playing && later.frame == 1_000 && later.problem.is_some(), "{later:?}");
}
