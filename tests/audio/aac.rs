//! AAC-LC of several elements, written by its grammar. Each element is decoded alone as mono or stereo, by the decoder
//! that files of one or two channels have, and the channels of the whole are these, bit for bit.
//!
//! `UNDERTONE_AAC_STREAMS=N` compares N streams with ffmpeg, without noise and pulses, which differ by intent or fault.

use std::path::Path;
use std::process::Command;

use audio::{AudioBuffer, AudioFile, Damage, FileInfo};

use crate::support::aac::{
    Bits, Features, Kind, Layout, Programs, RATES_HZ, Seen, Stream, adts, adts_stream, caf, matroska, mp4, stream,
};
use crate::support::assert_reads_from;
use crate::support::opening::random;

use Kind::{Low, Pair, Single};

/// The layouts of channel configurations, and for each channel its place in the elements' order.
const CONFIGURATIONS: [(u32, &str, &[usize]); 8] = [
    (3, "3.0", &[1, 2, 0]),
    (4, "4.0", &[1, 2, 0, 3]),
    (5, "5.0", &[1, 2, 0, 3, 4]),
    (6, "5.1", &[1, 2, 0, 5, 3, 4]),
    (7, "7.1", &[1, 2, 0, 7, 5, 6, 3, 4]),
    (11, "6.1(back)", &[1, 2, 0, 6, 3, 4, 5]),
    (12, "7.1", &[1, 2, 0, 7, 5, 6, 3, 4]),
    (14, "7.1(top)", &[1, 2, 0, 5, 3, 4, 6, 7]),
];

fn open(bytes: Vec<u8>) -> AudioFile {
    AudioFile::from_bytes(bytes, Path::new("a")).unwrap_or_else(|error| panic!("{error}"))
}

fn refusal(bytes: Vec<u8>) -> String {
    AudioFile::from_bytes(bytes, Path::new("a")).map(|file| format!("{:?}", file.info())).unwrap_err().to_string()
}

fn decoded(bytes: Vec<u8>) -> (AudioBuffer, Damage, FileInfo) {
    let file = open(bytes);
    let mut reader = file.reader().unwrap();
    let mut all = AudioBuffer::default();
    reader.read(&mut all, file.info().frames as usize).unwrap();
    (all, reader.damage(), file.info().clone())
}

/// Returns the channels of a stream in the order of its elements, decoded one by one.
fn channels_alone(stream: &Stream) -> Vec<Vec<f32>> {
    let mut channels = Vec::new();
    for (number, (kind, _)) in stream.layout.elements.iter().enumerate() {
        let alone = adts_stream(stream.rate, kind.channels() as u32, &stream.alone(number));
        let (sound, damage, info) = decoded(alone);
        assert!(damage.is_empty() && info.audio.channels == kind.channels(), "{kind:?}: {damage:?}");
        channels.extend(sound.iter().map(<[f32]>::to_vec));
    }
    channels
}

/// Asserts that a file is a stream whose channels have this order.
fn assert_whole(bytes: Vec<u8>, stream: &Stream, layout: Option<&str>, order: &[usize], what: &str) {
    let (sound, damage, info) = decoded(bytes);
    assert!(damage.is_empty(), "{what}: {damage:?}");
    assert!(info.warnings.is_empty(), "{what}: {:?}", info.warnings);
    assert_eq!(info.audio.layout().map(|layout| layout.to_string()).as_deref(), layout, "{what}");
    assert_eq!((info.codec.as_str(), info.audio.rate.hz()), ("AAC", stream.rate_hz()), "{what}");
    assert_eq!(info.frames, 1024 * stream.elements.len() as u64, "{what}");
    let alone = channels_alone(stream);
    assert_eq!(sound.channels(), order.len(), "{what}");
    for (channel, (got, from)) in sound.iter().zip(order).enumerate() {
        let difference = got.iter().zip(&alone[*from]).position(|(got, want)| got != want);
        assert_eq!(difference, None, "{what}: channel {channel} differs from that of its element alone");
        assert!(got.iter().any(|sample| sample.abs() > 1e-5), "{what}: channel {channel} is silent");
    }
}

fn of_configuration(seed: u64, configuration: u32, rate: usize, count: usize) -> Stream {
    let mut random = random(seed);
    let layout = Layout::of_configuration(&mut random, configuration);
    stream(&mut random, rate, layout, Features::ALL, count)
}

#[test]
fn every_configuration_is_its_elements_alone_in_every_container() {
    let mut seen = Vec::new();
    for (number, (configuration, layout, order)) in CONFIGURATIONS.into_iter().enumerate() {
        // Every rate has its turn.
        for rate in [number, number + 4] {
            let stream = of_configuration(rate as u64, configuration, rate, 24);
            seen.push(stream.seen);
            let mut random = random(99);
            let packets = stream.packets(&mut random, Programs::None);
            let (rate_hz, header) = (stream.rate_hz(), stream.layout.header(&mut random, rate));
            let mut files = vec![
                ("MP4", mp4(rate_hz, 2, &header, &packets)),
                ("CAF", caf(rate_hz, order.len() as u16, &header, &packets)),
                ("Matroska", matroska(rate_hz, order.len() as u16, &header, &packets)),
            ];
            if configuration < 8 {
                files.push(("ADTS", adts_stream(rate, configuration, &packets)));
            }
            for (container, bytes) in files {
                let what = format!("configuration {configuration} at {rate_hz} Hz in {container}");
                assert_whole(bytes, &stream, Some(layout), order, &what);
            }
        }
    }
    // What the grammar has was there.
    for book in (1..12).chain(13..16) {
        assert!(seen.iter().map(|seen| seen.books[book]).sum::<usize>() > 50, "book {book}");
    }
    let features: [fn(&Seen) -> usize; 6] = [
        |seen| seen.escapes,
        |seen| seen.short,
        |seen| seen.groups,
        |seen| seen.shaped,
        |seen| seen.pulses,
        |seen| seen.masks,
    ];
    for feature in features {
        assert!(seen.iter().map(feature).sum::<usize>() > 50, "{seen:?}");
    }
}

#[test]
fn programs_that_state_their_elements_one_by_one() {
    let cases: [(&[Kind], &[Kind], &[Kind], usize, Option<&str>, &[usize]); 12] = [
        (&[Single], &[], &[], 0, Some("mono"), &[0]),
        (&[Pair], &[], &[], 0, Some("stereo"), &[0, 1]),
        (&[Pair], &[], &[], 1, Some("2.1"), &[0, 1, 2]),
        (&[Pair], &[], &[Pair], 0, Some("quad"), &[0, 1, 2, 3]),
        (&[Pair], &[Pair], &[], 0, Some("quad(side)"), &[0, 1, 2, 3]),
        (&[Single, Pair], &[Pair], &[], 1, Some("5.1(side)"), &[1, 2, 0, 5, 3, 4]),
        (&[Single, Pair], &[], &[Pair], 1, Some("5.1"), &[1, 2, 0, 5, 3, 4]),
        (&[Single, Pair], &[Pair], &[Single], 1, Some("6.1"), &[1, 2, 0, 6, 5, 3, 4]),
        (&[Single, Pair, Pair], &[], &[Pair], 1, Some("7.1(wide)"), &[3, 4, 0, 7, 5, 6, 1, 2]),
        (&[Single, Pair], &[], &[Pair, Pair], 1, Some("7.1"), &[1, 2, 0, 7, 5, 6, 3, 4]),
        // As FFmpeg's encoder states 5.1(side): the channels are as in the program, and nothing says which these are.
        (&[Pair, Single], &[Single], &[Pair], 0, None, &[0, 1, 2, 3, 4, 5]),
        (&[Single, Pair], &[Single, Single], &[Pair, Single], 2, None, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
    ];
    for (number, (front, side, back, low, layout, order)) in cases.into_iter().enumerate() {
        let mut random = random(number as u64);
        let layouts = Layout::stated(front, side, back, low, number as u8);
        let stream = stream(&mut random, number, layouts, Features::ALL, 20);
        let (rate, rate_hz) = (stream.rate, stream.rate_hz());
        let header = stream.layout.header(&mut random, rate);
        let [each, first, none] =
            [Programs::Each, Programs::First, Programs::None].map(|programs| stream.packets(&mut random, programs));
        for (what, bytes) in [
            ("ADTS", adts_stream(rate, 0, &each)),
            ("ADTS, once", adts_stream(rate, 0, &first)),
            ("MP4", mp4(rate_hz, 2, &header, &none)),
            ("MP4, twice", mp4(rate_hz, 2, &header, &each)),
            ("CAF", caf(rate_hz, 1, &header, &none)),
            ("Matroska", matroska(rate_hz, 2, &header, &none)),
        ] {
            assert_whole(bytes, &stream, layout, order, &format!("case {number} in {what}"));
        }
    }
}

#[test]
fn random_programs_at_random_rates() {
    for seed in 0..24 {
        let mut random = random(1000 + seed);
        let layout = Layout::random(&mut random);
        let stream = stream(&mut random, seed as usize % 12, layout, Features::ALL, 12);
        let packets = stream.packets(&mut random, Programs::Each);
        let (sound, damage, info) = decoded(adts_stream(stream.rate, 0, &packets));
        assert!(damage.is_empty(), "seed {seed}: {damage:?}");
        // A known layout has an order of its own.
        let mut alone = channels_alone(&stream);
        assert_eq!(sound.channels(), alone.len(), "seed {seed}");
        for channel in sound.iter() {
            let place = alone.iter().position(|alone| *alone == channel);
            alone.remove(place.unwrap_or_else(|| panic!("seed {seed}, {:?}: no element's channel", info.audio)));
        }
    }
}

#[test]
fn reads_from_any_frame_equal_the_whole() {
    // Longer than the segments in which noise is decoded.
    let streams = [
        (6, of_configuration(1, 6, 3, 40)),
        (0, stream(&mut random(2), 4, Layout::stated(&[Pair], &[], &[Pair], 1, 3), Features::ALL, 40)),
    ];
    for (configuration, stream) in streams {
        let mut random = random(3);
        let mut packets = stream.packets(&mut random, Programs::First);
        let again = stream.packets(&mut random, Programs::None);
        for _ in 0..18 {
            packets.extend(again.iter().cloned());
        }
        let file = open(adts_stream(stream.rate, configuration, &packets));
        let mut whole = AudioBuffer::default();
        file.reader().unwrap().read(&mut whole, usize::MAX).unwrap();
        assert_eq!(whole.frames(), packets.len() * 1024);
        let edges = [254, 255, 256, 257, 511, 512, packets.len() as u64 - 1].map(|packet| packet * 1024);
        for at in edges.into_iter().chain((0..20).map(|_| random() % whole.frames() as u64)) {
            assert_reads_from(&file, at, &whole);
        }
    }
}

#[test]
fn a_stream_that_begins_behind_its_program_is_known_by_its_elements() {
    for (number, (front, back, low, layout, order)) in [
        (&[Single, Pair][..], &[Pair][..], 1, Some("5.1"), &[1, 2, 0, 5, 3, 4][..]),
        (&[Single, Pair], &[Single], 0, Some("4.0"), &[1, 2, 0, 3]),
        (&[Pair], &[], 1, Some("2.1"), &[0, 1, 2]),
        (&[Pair], &[Pair], 0, Some("quad"), &[0, 1, 2, 3]),
        (&[Single, Pair], &[Pair, Pair], 1, Some("7.1"), &[1, 2, 0, 7, 5, 6, 3, 4]),
        (&[Pair, Single], &[Single, Pair], 0, None, &[0, 1, 2, 3, 4, 5]),
    ]
    .into_iter()
    .enumerate()
    {
        let layouts = Layout::stated(front, &[], back, low, 2);
        let stream = stream(&mut random(number as u64), 4, layouts, Features::ALL, 16);
        let packets = stream.packets(&mut random(5), Programs::None);
        assert_whole(adts_stream(4, 0, &packets), &stream, layout, order, &format!("case {number}"));
        // Where a program follows within a second, it counts.
        let mut packets = packets;
        let later = stream.packets(&mut random(5), Programs::Each);
        packets[9..].clone_from_slice(&later[9..]);
        let (sound, damage, _) = decoded(adts_stream(4, 0, &packets));
        assert!(damage.is_empty() && sound.channels() == order.len(), "case {number}: {damage:?}");
    }
}

/// Returns a packet with these elements.
fn packet(elements: &[&Bits]) -> Vec<u8> {
    let mut bits = Bits::default();
    elements.iter().for_each(|element| bits.0.extend(&element.0));
    bits.put(7, 3);
    bits.bytes()
}

#[test]
fn an_element_that_a_packet_lacks_is_silent_and_told() {
    for lacking in 0..4 {
        // The noise of later packets would be another.
        let layout = Layout::of_configuration(&mut random(5), 6);
        let features = Features { noise: false, ..Features::ALL };
        let stream = stream(&mut random(20 + lacking as u64), 4, layout, features, 30);
        let mut packets = stream.packets(&mut random(1), Programs::None);
        for (packet_bytes, elements) in packets.iter_mut().zip(&stream.elements).skip(10).take(5) {
            let kept = (0..4).filter(|element| *element != lacking).map(|element| &elements[element]);
            *packet_bytes = packet(&kept.collect::<Vec<_>>());
        }
        let (sound, damage, _) = decoded(adts_stream(4, 6, &packets));
        // Of two pairs without tags the second is missed.
        let missed = if lacking == 1 { 2 } else { lacking };
        let whole = decoded(adts_stream(4, 6, &stream.packets(&mut random(1), Programs::None))).0;
        // Many streams leave out low frequencies where there are none.
        let told = (missed != 3).then_some(10 * 1024..15 * 1024);
        assert_eq!(damage.ranges(), told.as_slice(), "element {missed}");
        let of_element = [vec![2], vec![0, 1], vec![4, 5], vec![3]];
        for (element, channels) in of_element.iter().enumerate() {
            for channel in channels {
                let (got, whole) = (sound.channel(*channel), whole.channel(*channel));
                if element == missed {
                    assert!(got[10 * 1024..15 * 1024].iter().all(|sample| *sample == 0.0), "element {element}");
                    assert!(got[..10 * 1024] == whole[..10 * 1024], "element {element}");
                    // A new window begins from silence.
                    assert!(got[16 * 1024..] == whole[16 * 1024..], "element {element}");
                } else if !(lacking == 1 && element == 1) {
                    assert!(got == whole, "element {element}");
                }
            }
        }
    }
}

#[test]
fn encoders_that_put_low_frequencies_elsewhere_are_understood() {
    let single = |low: &Bits| {
        let mut bits = low.clone();
        bits.0[..3].fill(false);
        bits
    };
    for (configuration, order) in [(6, [0, 1, 3, 2].as_slice()), (7, &[0, 4, 1, 2, 3]), (11, &[4, 0, 1, 2, 3])] {
        let stream = of_configuration(3, configuration, 3, 20);
        let channels = stream.layout.channels() as u16;
        let header = stream.layout.header(&mut random(1), 3);
        let written = |packets: Vec<Vec<u8>>| decoded(mp4(48_000, channels, &header, &packets));
        let whole = written(stream.packets(&mut random(1), Programs::None)).0;
        let moved = |elements: &Vec<Bits>| packet(&order.iter().map(|at| &elements[*at]).collect::<Vec<_>>());
        let (sound, damage, _) = written(stream.elements.iter().map(moved).collect());
        assert!(damage.is_empty() && sound == whole, "configuration {configuration}, elsewhere");
        // As a single channel at the end.
        let named = |elements: &Vec<Bits>| {
            let mut elements = elements.clone();
            let last = elements.len() - 1;
            elements[last] = single(&elements[last]);
            packet(&elements.iter().collect::<Vec<_>>())
        };
        let (sound, damage, _) = written(stream.elements.iter().map(named).collect());
        assert!(damage.is_empty() && sound == whole, "configuration {configuration}, as a single channel");
    }
}

#[test]
fn the_packets_are_believed_where_the_header_states_other_elements() {
    // Configurations of the header and of the stream.
    for (states, has) in [(1, 2), (2, 1), (1, 6), (2, 6), (6, 2), (6, 1), (3, 6), (5, 7), (7, 6), (6, 4), (5, 6)] {
        let stream = of_configuration(u64::from(states * 8 + has), has, 4, 24);
        let packets = stream.packets(&mut random(1), Programs::None);
        let right = stream.layout.header(&mut random(1), 4);
        let wrong = Layout::of_configuration(&mut random(1), states).header(&mut random(1), 4);
        let channels = stream.layout.channels() as u16;
        let write: [fn(u32, u16, &[u8], &[Vec<u8>]) -> Vec<u8>; 3] = [mp4, caf, matroska];
        for write in write {
            let (expected, _, info) = decoded(write(44_100, channels, &right, &packets));
            assert!(info.warnings.is_empty(), "{:?}", info.warnings);
            let name = info.audio.channels_in_words();
            let what = format!("{name} in a header of configuration {states}");
            let (sound, damage, info) = decoded(write(44_100, channels, &wrong, &packets));
            assert!(damage.is_empty() && sound == expected, "{what}: {damage:?}");
            assert_eq!(info.audio.channels_in_words(), name, "{what}");
            let told = |warning: &String| warning.ends_with(&format!("but the packets hold {name}."));
            assert!(info.warnings.len() == 1 && told(&info.warnings[0]), "{what}: {:?}", info.warnings);
        }
    }
    // The header of each frame of ADTS states it.
    for (states, has) in [(1, 2), (2, 1), (1, 6), (2, 6), (6, 2), (6, 1), (3, 6), (5, 7), (7, 6), (6, 4), (5, 6)] {
        let stream = of_configuration(u64::from(states * 8 + has), has, 4, 24);
        let packets = stream.packets(&mut random(1), Programs::None);
        let (expected, _, right) = decoded(adts_stream(4, has, &packets));
        assert!(right.warnings.is_empty(), "{:?}", right.warnings);
        let (sound, damage, info) = decoded(adts_stream(4, states, &packets));
        let what = format!("{has} in headers of configuration {states}");
        assert!(damage.is_empty() && sound == expected, "{what}: {damage:?}");
        assert_eq!(info.audio.channels_in_words(), right.audio.channels_in_words(), "{what}");
        let count = |configuration: u32| match configuration {
            1 => "1 channel".to_owned(),
            7 => "8 channels".to_owned(),
            count => format!("{count} channels"),
        };
        let told = format!("The headers of its frames say {}. The frames hold {}.", count(states), count(has));
        assert_eq!(info.warnings, [told], "{what}");
        // A header that is wrong in some frames alone changes nothing.
        let mut mixed = Vec::new();
        for (number, packet) in packets.iter().enumerate() {
            let wrong = number > 10 && number % 3 == 0;
            mixed.extend(adts_stream(4, if wrong { states } else { has }, std::slice::from_ref(packet)));
        }
        let (sound, damage, _) = decoded(mixed);
        assert!(damage.is_empty() && sound == expected, "{what}, in some frames: {damage:?}");
    }
    // A packet that has what the header states is enough: the others may be damaged, or lack something.
    let stream = of_configuration(1, 6, 4, 24);
    let header = stream.layout.header(&mut random(1), 4);
    let plain = stream.packets(&mut random(1), Programs::None);
    let lacking = |elements: &[usize]| {
        let packet_of = |all: &Vec<Bits>| packet(&elements.iter().map(|at| &all[*at]).collect::<Vec<_>>());
        stream.elements.iter().map(packet_of).collect::<Vec<_>>()
    };
    let noise = vec![(0..300u32).map(|n| (n * n * 37 + 11) as u8).collect::<Vec<u8>>(); 24];
    for (what, first, count) in [
        ("noise", &noise, 24),
        ("nothing", &vec![packet(&[]); 24], 24),
        ("noise, then all", &noise, 15),
        ("a pair, then all", &lacking(&[1]), 15),
        ("no low frequencies", &lacking(&[0, 1, 2]), 24),
    ] {
        let packets = [&first[..count], &plain[count..]].concat();
        let info = open(mp4(44_100, 6, &header, &packets)).info().clone();
        assert_eq!((info.audio.channels_in_words().as_str(), info.warnings.len()), ("5.1", 0), "{what}");
    }
}

#[test]
fn packets_that_are_not_of_the_program_are_damage() {
    let stream = of_configuration(7, 6, 4, 30);
    let plain = stream.packets(&mut random(1), Programs::None);
    let whole = decoded(adts_stream(4, 6, &plain)).0;
    let of = &stream.elements[12];
    let coupling = {
        let mut bits = Bits::default();
        bits.put(2, 3);
        bits.put(0, 4);
        bits
    };
    for (what, packet) in [
        ("an element twice", packet(&[&of[0], &of[0], &of[1], &of[2], &of[3]])),
        ("three pairs", packet(&[&of[0], &of[1], &of[2], &of[2], &of[3]])),
        ("low frequencies twice", packet(&[&of[0], &of[1], &of[2], &of[3], &of[3]])),
        ("no element", packet(&[])),
        ("coupling", packet(&[&of[0], &of[1], &of[2], &of[3], &coupling])),
        ("cut", plain[12][..plain[12].len() / 2].to_vec()),
        ("noise", (0..300u32).map(|n| (n * n * 37 + 11) as u8).collect()),
    ] {
        let mut packets = plain.clone();
        packets[12] = packet;
        let (sound, damage, _) = decoded(adts_stream(4, 6, &packets));
        assert_eq!(damage.ranges(), std::slice::from_ref(&(12 * 1024..13 * 1024)), "{what}");
        for (got, whole) in sound.iter().zip(whole.iter()) {
            assert!(got[12 * 1024..13 * 1024].iter().all(|sample| *sample == 0.0), "{what}");
            assert!(got[..12 * 1024] == whole[..12 * 1024], "{what}");
        }
    }
    // A packet that states another program.
    let stated = |back: &[Kind]| Layout::stated(&[Single, Pair], &[], back, 0, 0);
    let make = |layout: Layout| crate::support::aac::stream(&mut random(9), 4, layout, Features::ALL, 20);
    let (first, other) = (make(stated(&[Pair])), make(stated(&[Single])));
    let mut packets = first.packets(&mut random(1), Programs::First);
    packets.extend(other.packets(&mut random(1), Programs::First));
    packets.extend(first.packets(&mut random(1), Programs::First));
    let (_, damage, info) = decoded(adts_stream(4, 0, &packets));
    assert_eq!((info.audio.channels, info.frames), (5, 60 * 1024));
    assert!(damage.ranges().first().is_some_and(|range| range.start == 20 * 1024), "{damage:?}");
    assert!(damage.ranges().iter().all(|range| range.end <= 40 * 1024), "{damage:?}");
}

#[test]
fn a_damaged_packet_harms_only_what_it_overlaps() {
    let stream = of_configuration(8, 6, 3, 40);
    let plain = stream.packets(&mut random(1), Programs::None);
    let whole = decoded(adts_stream(3, 6, &plain)).0;
    let mut random = random(2);
    let mut refused = 0;
    for _ in 0..40 {
        let mut packets = plain.clone();
        for _ in 0..=random() % 4 {
            let at = (random() % packets[20].len() as u64) as usize;
            packets[20][at] ^= 1 << (random() % 8);
        }
        let (sound, damage, _) = decoded(adts_stream(3, 6, &packets));
        refused += usize::from(!damage.is_empty());
        assert!(damage.ranges().iter().all(|range| 20 * 1024 <= range.start && range.end <= 22 * 1024), "{damage:?}");
        for (got, whole) in sound.iter().zip(whole.iter()) {
            assert!(got[..20 * 1024] == whole[..20 * 1024], "before");
        }
    }
    assert!(refused > 20, "{refused}");
}

#[test]
fn streams_that_go_on_with_other_channels_are_converted() {
    let surround = of_configuration(1, 6, 4, 12);
    let quad = of_configuration(2, 4, 4, 12);
    let stereo = stream(&mut random(3), 4, Layout::of_configuration(&mut random(3), 2), Features::ALL, 12);
    let of = |stream: &Stream| stream.packets(&mut random(4), Programs::None);
    let bytes = |stream: &Stream| adts_stream(4, stream.layout.configuration, &of(stream));
    let alone = |stream: &Stream| decoded(bytes(stream)).0;
    for parts in [[&surround, &stereo, &surround], [&stereo, &surround, &stereo], [&quad, &surround, &quad]] {
        let joined: Vec<u8> = parts.iter().flat_map(|part| bytes(part)).collect();
        let (sound, damage, info) = decoded(joined);
        assert!(damage.is_empty(), "{damage:?}");
        assert_eq!(info.audio.channels, parts[0].layout.channels());
        let now = parts[1].layout.channels();
        assert!(info.warnings.iter().any(|warning| warning.contains(&format!("{now} channels from"))), "{info:?}");
        let first = alone(parts[0]);
        for (got, want) in sound.iter().zip(first.iter()) {
            assert!(got[..12 * 1024] == want[..] && got[24 * 1024..] == want[..]);
        }
        let mut middle = sound.iter().flat_map(|channel| &channel[13 * 1024..23 * 1024]);
        assert!(middle.any(|sample| sample.abs() > 1e-4));
    }
    // Left and right stay what they are in a recording of more.
    let sound = decoded([bytes(&surround), bytes(&stereo)].concat()).0;
    let want = alone(&stereo);
    assert!(sound.channel(0)[12 * 1024..] == *want.channel(0) && sound.channel(1)[12 * 1024..] == *want.channel(1));
    assert!(sound.channel(2)[12 * 1024..].iter().all(|sample| *sample == 0.0));
}

/// Returns an HE-AAC stream's packets: each element but that of low frequencies is followed by its high ones.
fn with_replication(stream: &Stream, kind: u64) -> Vec<Vec<u8>> {
    let mut random = random(6);
    let whole = |(number, elements): (usize, &Vec<Bits>)| {
        let mut bits = Bits::default();
        if stream.layout.configuration == 0 && number == 0 {
            bits.put(5, 3);
            stream.layout.program(&mut random, stream.rate, &mut bits);
        }
        for (element, (of, _)) in elements.iter().zip(&stream.layout.elements) {
            bits.0.extend(&element.0);
            if *of != Low {
                bits.put(6, 3);
                bits.put(9, 4);
                bits.put(kind, 4);
                (0..17).for_each(|_| bits.put(random() % 16, 4));
            }
        }
        bits.put(7, 3);
        bits.bytes()
    };
    stream.elements.iter().enumerate().map(whole).collect()
}

#[test]
fn he_aac_of_many_channels_is_refused_by_name() {
    let stated = || Layout::stated(&[Single, Pair], &[], &[Pair], 1, 0);
    for rate in [6, 7] {
        for layout in [Layout::of_configuration(&mut random(1), 6), stated()] {
            let configuration = layout.configuration;
            let stream = stream(&mut random(2), rate, layout, Features::ALL, 30);
            let header = stream.layout.header(&mut random(3), rate);
            let rate_hz = stream.rate_hz();
            for kind in [13, 14] {
                let packets = with_replication(&stream, kind);
                for bytes in [
                    adts_stream(rate, configuration, &packets),
                    mp4(rate_hz, 6, &header, &packets),
                    matroska(rate_hz, 6, &header, &packets),
                    caf(rate_hz, 6, &header, &packets),
                ] {
                    let said = refusal(bytes);
                    assert!(said.contains("HE-AAC"), "{said}");
                }
            }
            // Other fill is none.
            let packets = with_replication(&stream, 11);
            assert!(decoded(adts_stream(rate, configuration, &packets)).1.is_empty());
            // The header says it: by its object type, or after a mark behind everything else.
            let packets = stream.packets(&mut random(4), Programs::None);
            let marked = [&header[..], &[0x56, 0xe5, 0x80]].concat();
            if configuration == 0 || header.len() == 2 {
                let said = refusal(mp4(rate_hz, 6, &marked, &packets));
                assert!(said.contains("HE-AAC"), "{said}");
            }
            let mut bits = Bits::default();
            for (value, width) in
                [(5, 5), (rate as u64, 4), (u64::from(configuration), 4), (rate as u64 - 3, 4), (2, 5)]
            {
                bits.put(value, width);
            }
            bits.put(0, 3);
            if configuration == 0 {
                stream.layout.program(&mut random(5), rate, &mut bits);
            }
            let said = refusal(mp4(rate_hz, 6, &bits.bytes(), &packets));
            assert!(said.contains("HE-AAC"), "{said}");
        }
    }
}

#[test]
fn configurations_that_are_not_decoded_are_refused_by_name() {
    let stream = of_configuration(1, 6, 4, 5);
    let packets = stream.packets(&mut random(1), Programs::None);
    let header = |configuration: u64| {
        let mut bits = Bits::default();
        for (value, width) in [(2, 5), (4, 4), (configuration, 4), (0, 3)] {
            bits.put(value, width);
        }
        bits
    };
    for configuration in [8, 9, 10, 13, 15] {
        let said = refusal(mp4(44_100, 6, &header(configuration).bytes(), &packets));
        assert!(said.contains(&format!("AAC of channel configuration {configuration}")), "{said}");
    }
    // A program that is cut off.
    let said = refusal(mp4(44_100, 6, &header(0).bytes(), &packets));
    assert!(said.contains("configuration is damaged"), "{said}");
    let program = |front: u64, coupled: u64| {
        let mut bits = header(0);
        for (value, width) in [(0, 4), (1, 2), (4, 4), (front, 4), (0, 4), (0, 4), (0, 2), (0, 3), (coupled, 4), (0, 3)]
        {
            bits.put(value, width);
        }
        (0..front).for_each(|tag| bits.put(16 | tag, 5));
        (0..coupled).for_each(|tag| bits.put(tag, 5));
        bits.0.resize(bits.0.len().next_multiple_of(8) + 8, false);
        bits.bytes()
    };
    // Packets that say nothing else.
    assert_eq!(open(mp4(44_100, 6, &program(2, 0), &vec![packet(&[]); 5])).info().audio.channels, 4);
    let said = refusal(mp4(44_100, 6, &program(2, 1), &packets));
    assert!(said.contains("coupling"), "{said}");
    let said = refusal(mp4(44_100, 6, &program(9, 0), &packets));
    assert!(said.contains("18 channels"), "{said}");
    let said = refusal(mp4(44_100, 6, &program(0, 0), &packets));
    assert!(said.contains("0 channels"), "{said}");
    // Frames that say nothing.
    let silent: Vec<u8> = (0..8).flat_map(|_| adts(4, 0, &packet(&[]), false)).collect();
    let said = refusal(silent);
    assert!(said.contains("which channels"), "{said}");
}

/// Returns what ffmpeg decodes, channel by channel in the order of WAVE files; `None` without it.
fn by_ffmpeg(bytes: &[u8], channels: usize) -> Option<Vec<Vec<f32>>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mp4");
    std::fs::write(&path, bytes).unwrap();
    let mut command = Command::new("ffmpeg");
    let run =
        command.args(["-v", "error", "-i"]).arg(path).args(["-c:a", "pcm_f32le", "-f", "f32le", "-"]).output().ok()?;
    assert!(run.stderr.is_empty(), "{}", String::from_utf8_lossy(&run.stderr));
    let samples: Vec<f32> = run.stdout.as_chunks::<4>().0.iter().map(|sample| f32::from_le_bytes(*sample)).collect();
    Some((0..channels).map(|channel| samples.iter().skip(channel).step_by(channels).copied().collect()).collect())
}

#[test]
fn streams_of_every_feature_are_what_ffmpeg_decodes() {
    let count = std::env::var("UNDERTONE_AAC_STREAMS").ok().map_or(0, |count| count.parse().unwrap());
    let mut worst = 0f32;
    for seed in 0..count {
        let mut random = random(seed);
        let (configuration, name, _) = CONFIGURATIONS[seed as usize % 7];
        let rate = (seed as usize / 7) % RATES_HZ.len();
        let layout = Layout::of_configuration(&mut random, configuration);
        let features = Features { noise: false, pulses: false, intensity_of_mid: false, ..Features::ALL };
        let stream = stream(&mut random, rate, layout, features, 20);
        let packets = stream.packets(&mut random, Programs::None);
        let channels = stream.layout.channels();
        let bytes = mp4(stream.rate_hz(), channels as u16, &stream.layout.header(&mut random, rate), &packets);
        let theirs = by_ffmpeg(&bytes, channels).expect("ffmpeg");
        let ours = decoded(bytes).0;
        for (channel, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
            let what = format!("seed {seed}, {name} at {} Hz, channel {channel}", stream.rate_hz());
            assert_eq!(ours.len(), theirs.len(), "{what}");
            let loudest = ours.iter().fold(0f32, |most, sample| most.max(sample.abs()));
            let off = ours.iter().zip(theirs).fold(0f32, |most, (ours, theirs)| most.max((ours - theirs).abs()));
            worst = worst.max(off / loudest);
            assert!(off <= 1e-5 * loudest, "{what}: off by {off} of {loudest}");
        }
    }
    if count > 0 {
        println!("{count} streams, the largest difference is {worst} of the loudest sample");
    }
}
