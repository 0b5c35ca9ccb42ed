//! A changed chain takes over only when the device is ready for it: a compiler at work is never heard.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use super::super::preparation::Preparation;
use super::super::source::{PlaybackSource, PreviewRender};
use super::super::virtual_output::{Ramp, Synthetic};
use super::{RATE, Rig, chain, ramp};
use crate::playback::ChainSource;
use audio::{AudioFormat, AudioReader};
use base::error::Result;
use base::progress::Progress;
use dsp::device::{DeviceRequest, Devices, RunPurpose};
use effects::chain::{Chain, MeasuredMap, Placement};

/// A source whose device becomes ready for a chain when the test says so.
struct Slow {
    inner: Arc<Synthetic>,
    ready: Arc<AtomicBool>,
    begun: Arc<AtomicU64>,
}

impl PlaybackSource for Slow {
    fn format(&self) -> AudioFormat {
        self.inner.format()
    }

    fn frames(&self) -> u64 {
        self.inner.frames()
    }

    fn original(&self) -> Result<Box<dyn AudioReader>> {
        self.inner.original()
    }

    fn processed(&self, chain: &Chain, measured: &MeasuredMap) -> Result<Box<dyn PreviewRender>> {
        self.inner.processed(chain, measured)
    }

    fn is_measured(&self, _: &Chain, _: &MeasuredMap) -> Result<bool> {
        Ok(true)
    }

    fn measure(&self, _: &Chain, _: &Progress) -> Result<MeasuredMap> {
        Ok(MeasuredMap::default())
    }

    fn preparation(&self, _: &Chain, _: &MeasuredMap) -> Option<Preparation> {
        let ready = Arc::clone(&self.ready);
        self.begun.fetch_add(1, Ordering::Relaxed);
        Some(Box::new(move || {
            while !ready.load(Ordering::Acquire) {
                std::thread::sleep(Duration::from_millis(1));
            }
        }))
    }
}

/// The left channel from `from` on, at a gain.
fn wanted(from: usize, frames: usize, gain: f32) -> Vec<f32> {
    (from..from + frames).map(|n| gain * Ramp::value(n as u64, 0)).collect()
}

fn heard(rig: &mut Rig, frames: usize) -> Vec<f32> {
    super::left(&rig.hear(frames, 480))
}

#[test]
fn the_sound_switches_when_the_device_is_ready_and_goes_on_until_then() {
    let (ready, begun) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let source = Slow { inner: ramp(), ready: Arc::clone(&ready), begun: Arc::clone(&begun) };
    let mut rig = Rig::new(RATE, 2, Arc::new(source));
    rig.engine.play(0, None, 0);
    assert_eq!(heard(&mut rig, 9600), wanted(0, 9600, 1.0));
    assert_eq!(begun.load(Ordering::Relaxed), 0, "nothing to take over from at the start");
    // A slider moves while the compiler works on its first step.
    for nodes in [1, 3, 2] {
        rig.engine.set_chain(chain(nodes), rig.now_ns);
        rig.settle();
    }
    assert_eq!(heard(&mut rig, 48_000), wanted(9600, 48_000, 1.0), "the chain from before, without a gap");
    assert_eq!((rig.underruns(), begun.load(Ordering::Relaxed)), (0, 1));
    ready.store(true, Ordering::Release);
    // Both preparations end: that of the first step, and that of the current chain.
    let mut from = 57_600;
    let switched = (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(5));
        from += 480;
        heard(&mut rig, 480) == wanted(from - 480, 480, 0.5)
    });
    assert!(switched, "the new chain is heard");
    assert_eq!((rig.underruns(), begun.load(Ordering::Relaxed)), (0, 2));
}

#[test]
fn a_seek_does_not_wait() {
    let ready = Arc::new(AtomicBool::new(false));
    let source = Slow { inner: ramp(), ready: Arc::clone(&ready), begun: Arc::default() };
    let mut rig = Rig::new(RATE, 2, Arc::new(source));
    rig.engine.play(0, None, 0);
    heard(&mut rig, 9600);
    rig.engine.set_chain(chain(2), rig.now_ns);
    rig.settle();
    rig.engine.play(50_000, None, rig.now_ns);
    heard(&mut rig, 9600);
    assert_eq!(heard(&mut rig, 4800), wanted(59_600, 4800, 0.5));
    ready.store(true, Ordering::Release);
}

#[test]
fn a_preparation_compiles_what_the_chain_needs() {
    let devices = Arc::new(Devices::new(None));
    let Ok(engine) = devices.engine(0) else {
        assert!(std::env::var_os("UNDERTONE_REQUIRE_GPU").is_none(), "there is no GPU adapter");
        return;
    };
    let open = Arc::new(|| {
        let silence = audio::AudioBuffer::new(2, 48_000);
        let rate = base::units::SampleRate::new(48_000)?;
        Ok(Box::new(audio::MemoryReader::new(rate, silence)) as Box<dyn AudioReader>)
    });
    let placement = |request| Placement::new(request, Arc::clone(&devices), RunPurpose::Preview);
    let source = ChainSource::new(open.clone(), placement(DeviceRequest::Gpu)).unwrap();
    let chain: Chain = "lowpass(1 kHz) | gain(-3 dB)".parse().unwrap();
    let compiled = || base::lock::lock(&engine).compiled();
    assert_eq!(compiled(), 0);
    source.preparation(&chain, &MeasuredMap::default()).unwrap()();
    let count = compiled();
    assert!(count > 0, "nothing was compiled");
    // The chain then compiles nothing more, however much is read at once.
    let mut preview = source.processed(&chain, &MeasuredMap::default()).unwrap();
    let mut block = audio::AudioBuffer::default();
    for frames in [1, 64, 480, 2048, 8192] {
        preview.read(&mut block, frames).unwrap();
    }
    assert_eq!(compiled(), count);
    // The CPU needs no preparation; `auto` needs none either if there is only a software adapter.
    for request in [DeviceRequest::Cpu, DeviceRequest::Auto] {
        let source = ChainSource::new(open.clone(), placement(request)).unwrap();
        let software = base::lock::lock(&engine).info().kind == dsp::gpu::AdapterKind::Software;
        assert!(!software || source.preparation(&chain, &MeasuredMap::default()).is_none());
    }
}
