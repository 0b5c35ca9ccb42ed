//! The constructors and parameter methods of all effects. Generated from the registry of effects by `npm run bindings`.

use super::ChainBuilder;
use super::macros::{constructors, parameters};
use crate::effects::Value;

constructors! {
    /// Low-pass. Keeps what is below the cutoff, with a slope as steep as the order.
    ///
    /// - `cutoff` (Hz): The edge of the pass band: -3 dB with the default design.
    /// - `order` (a number): The steepness: 6 dB per octave for each.
    /// - `design` (one of `butterworth`, `chebyshev1`, `chebyshev2`, `elliptic`, `bessel`, `linkwitz_riley`): The family: butterworth is flat, chebyshev and elliptic are steep, bessel keeps shapes, linkwitz_riley sums.
    /// - `ripple` (dB): How much the pass band of chebyshev1 and elliptic may ripple.
    /// - `attenuation` (dB): How far down the stop band of chebyshev2 and elliptic stays.
    lowpass(cutoff: f64);

    /// High-pass. Keeps what is above the cutoff, with a slope as steep as the order.
    ///
    /// - `cutoff` (Hz): The edge of the pass band: -3 dB with the default design.
    /// - `order` (a number): The steepness: 6 dB per octave for each.
    /// - `design` (one of `butterworth`, `chebyshev1`, `chebyshev2`, `elliptic`, `bessel`, `linkwitz_riley`): The family: butterworth is flat, chebyshev and elliptic are steep, bessel keeps shapes, linkwitz_riley sums.
    /// - `ripple` (dB): How much the pass band of chebyshev1 and elliptic may ripple.
    /// - `attenuation` (dB): How far down the stop band of chebyshev2 and elliptic stays.
    highpass(cutoff: f64);

    /// Band-pass. Keeps what is between two frequencies, with slopes as steep as the order.
    ///
    /// - `low` (Hz): The lower edge, -3 dB with the default design.
    /// - `high` (Hz): The upper edge, -3 dB with the default design.
    /// - `order` (a number): The steepness on either side: 6 dB per octave for each; there are twice as many poles.
    /// - `design` (one of `butterworth`, `chebyshev1`, `chebyshev2`, `elliptic`, `bessel`, `linkwitz_riley`): The family: butterworth is flat, chebyshev and elliptic are steep, bessel keeps shapes, linkwitz_riley sums.
    /// - `ripple` (dB): How much the pass band of chebyshev1 and elliptic may ripple.
    /// - `attenuation` (dB): How far down the stop band of chebyshev2 and elliptic stays.
    bandpass(low: f64, high: f64);

    /// Band-stop. Takes away what is between two frequencies.
    ///
    /// - `low` (Hz): The lower edge, -3 dB with the default design.
    /// - `high` (Hz): The upper edge, -3 dB with the default design.
    /// - `order` (a number): How steeply it falls to the centre; there are twice as many poles.
    /// - `design` (one of `butterworth`, `chebyshev1`, `chebyshev2`, `elliptic`, `bessel`, `linkwitz_riley`): The family: butterworth is flat, chebyshev and elliptic are steep, bessel keeps shapes, linkwitz_riley sums.
    /// - `ripple` (dB): How much the pass band of chebyshev1 and elliptic may ripple.
    /// - `attenuation` (dB): How far down the stop band of chebyshev2 and elliptic stays.
    bandstop(low: f64, high: f64);

    /// Low-pass (Q). A second-order low-pass with a resonance of Q.
    ///
    /// - `cutoff` (Hz): The corner frequency.
    /// - `q` (a number): The gain at the cutoff; 0.7071 is flat.
    rbj_lowpass(cutoff: f64);

    /// High-pass (Q). A second-order high-pass with a resonance of Q.
    ///
    /// - `cutoff` (Hz): The corner frequency.
    /// - `q` (a number): The gain at the cutoff; 0.7071 is flat.
    rbj_highpass(cutoff: f64);

    /// Band-pass (Q). A second-order band-pass around a frequency.
    ///
    /// - `center` (Hz): The frequency in the middle of the range.
    /// - `q` (a number): Centre over width at -3 dB: the higher, the narrower.
    /// - `peak` (one of `skirt`, `unity`): skirt: the gain at the centre is Q; unity: it is 0 dB.
    rbj_bandpass(center: f64, q: f64);

    /// Notch. Takes one frequency away and leaves the rest.
    ///
    /// - `center` (Hz): The frequency that is taken away.
    /// - `q` (a number): Centre over width at -3 dB: the higher, the narrower.
    notch(center: f64, q: f64);

    /// All-pass. Turns the phase around a frequency and leaves every level as it is.
    ///
    /// - `center` (Hz): Where the phase is turned by 180 degrees.
    /// - `q` (a number): How suddenly the phase turns.
    allpass(center: f64, q: f64);

    /// Peaking. Raises or lowers the range around a frequency.
    ///
    /// - `center` (Hz): The frequency in the middle of the range.
    /// - `q` (a number): Centre over width: the higher, the narrower.
    /// - `gain` (dB): The gain at the centre.
    peaking(center: f64, q: f64, gain: f64);

    /// Low shelf. Raises or lowers what is below a frequency.
    ///
    /// - `cutoff` (Hz): Where the gain is half way.
    /// - `gain` (dB): The gain well below the cutoff.
    /// - `q` (a number): How steep the step is; above 0.7071 it overshoots.
    low_shelf(cutoff: f64, gain: f64);

    /// High shelf. Raises or lowers what is above a frequency.
    ///
    /// - `cutoff` (Hz): Where the gain is half way.
    /// - `gain` (dB): The gain well above the cutoff.
    /// - `q` (a number): How steep the step is; above 0.7071 it overshoots.
    high_shelf(cutoff: f64, gain: f64);

    /// Parametric equaliser. A low shelf, six peaks and a high shelf, each with frequency, gain and Q.
    ///
    /// - `low_cutoff` (Hz): Where the low shelf is half way.
    /// - `low_gain` (dB): The gain well below the low shelf's cutoff.
    /// - `low_q` (a number): How steep the low shelf is; above 0.7071 it overshoots.
    /// - `center1` (Hz): The centre of the first peak.
    /// - `gain1` (dB): The gain at the centre of the first peak.
    /// - `q1` (a number): Centre over width of the first peak.
    /// - `center2` (Hz): The centre of the second peak.
    /// - `gain2` (dB): The gain at the centre of the second peak.
    /// - `q2` (a number): Centre over width of the second peak.
    /// - `center3` (Hz): The centre of the third peak.
    /// - `gain3` (dB): The gain at the centre of the third peak.
    /// - `q3` (a number): Centre over width of the third peak.
    /// - `center4` (Hz): The centre of the fourth peak.
    /// - `gain4` (dB): The gain at the centre of the fourth peak.
    /// - `q4` (a number): Centre over width of the fourth peak.
    /// - `center5` (Hz): The centre of the fifth peak.
    /// - `gain5` (dB): The gain at the centre of the fifth peak.
    /// - `q5` (a number): Centre over width of the fifth peak.
    /// - `center6` (Hz): The centre of the sixth peak.
    /// - `gain6` (dB): The gain at the centre of the sixth peak.
    /// - `q6` (a number): Centre over width of the sixth peak.
    /// - `high_cutoff` (Hz): Where the high shelf is half way.
    /// - `high_gain` (dB): The gain well above the high shelf's cutoff.
    /// - `high_q` (a number): How steep the high shelf is; above 0.7071 it overshoots.
    parametric_eq();

    /// Graphic equaliser, 10 bands. Ten bands of an octave; the response at their centres is what is set.
    ///
    /// - `b31_5` (dB): The gain at this frequency.
    /// - `b63` (dB): The gain at this frequency.
    /// - `b125` (dB): The gain at this frequency.
    /// - `b250` (dB): The gain at this frequency.
    /// - `b500` (dB): The gain at this frequency.
    /// - `b1k` (dB): The gain at this frequency.
    /// - `b2k` (dB): The gain at this frequency.
    /// - `b4k` (dB): The gain at this frequency.
    /// - `b8k` (dB): The gain at this frequency.
    /// - `b16k` (dB): The gain at this frequency.
    graphic_eq_10();

    /// Graphic equaliser, 31 bands. Thirty-one bands of a third of an octave; the response at their centres is what is set.
    ///
    /// - `b20` (dB): The gain at this frequency.
    /// - `b25` (dB): The gain at this frequency.
    /// - `b31_5` (dB): The gain at this frequency.
    /// - `b40` (dB): The gain at this frequency.
    /// - `b50` (dB): The gain at this frequency.
    /// - `b63` (dB): The gain at this frequency.
    /// - `b80` (dB): The gain at this frequency.
    /// - `b100` (dB): The gain at this frequency.
    /// - `b125` (dB): The gain at this frequency.
    /// - `b160` (dB): The gain at this frequency.
    /// - `b200` (dB): The gain at this frequency.
    /// - `b250` (dB): The gain at this frequency.
    /// - `b315` (dB): The gain at this frequency.
    /// - `b400` (dB): The gain at this frequency.
    /// - `b500` (dB): The gain at this frequency.
    /// - `b630` (dB): The gain at this frequency.
    /// - `b800` (dB): The gain at this frequency.
    /// - `b1k` (dB): The gain at this frequency.
    /// - `b1_25k` (dB): The gain at this frequency.
    /// - `b1_6k` (dB): The gain at this frequency.
    /// - `b2k` (dB): The gain at this frequency.
    /// - `b2_5k` (dB): The gain at this frequency.
    /// - `b3_15k` (dB): The gain at this frequency.
    /// - `b4k` (dB): The gain at this frequency.
    /// - `b5k` (dB): The gain at this frequency.
    /// - `b6_3k` (dB): The gain at this frequency.
    /// - `b8k` (dB): The gain at this frequency.
    /// - `b10k` (dB): The gain at this frequency.
    /// - `b12_5k` (dB): The gain at this frequency.
    /// - `b16k` (dB): The gain at this frequency.
    /// - `b20k` (dB): The gain at this frequency.
    graphic_eq_31();

    /// Tilt. Raises the highs as much as it lowers the lows, or the other way round.
    ///
    /// - `gain` (dB): How much the highs are raised and the lows lowered; negative the other way round.
    /// - `center` (Hz): The frequency that stays as it is.
    /// - `shape` (one of `shelf`, `line`): shelf: a step from lows to highs; line: as much with every octave.
    tilt(gain: f64);

    /// Comb. Raises a frequency and all its multiples, or takes them away, by the signal delayed by a period.
    ///
    /// - `frequency` (Hz): The distance of the teeth; one period of it is the delay.
    /// - `gain` (0..1): How much of the delayed signal is added; negative takes it away.
    /// - `kind` (one of `feedforward`, `feedback`): feedforward: even notches; feedback: peaks that ring.
    comb(frequency: f64);

    /// DC blocker. Takes a constant offset away and leaves what is heard.
    ///
    /// - `cutoff` (Hz): Where the response is down by 3 dB.
    dc_block();

    /// Crossover. Takes one band of a split into two to four, whose bands sum to all that was there.
    ///
    /// - `band` (a number): Which band is heard; 1 is the lowest.
    /// - `first` (Hz): Where the first band meets the second.
    /// - `second` (Hz): Where the second band meets the third, with three or four ways.
    /// - `third` (Hz): Where the third band meets the fourth, with four ways.
    /// - `ways` (a number): How many bands there are.
    /// - `order` (a number): The steepness, even: 6 dB per octave for each.
    crossover(band: u32, first: f64);

    /// Filter bank. Takes one of many bands of equal width in octaves.
    ///
    /// - `band` (a number): Which band is heard; 1 is the lowest.
    /// - `bands` (a number): How many bands there are.
    /// - `order` (a number): The steepness on either side: 6 dB per octave for each.
    /// - `low` (Hz): The lower edge of the lowest band.
    /// - `high` (Hz): The upper edge of the highest band.
    filter_bank(band: u32);

    /// Gain. Makes everything louder or softer.
    ///
    /// - `gain` (dB): By how much.
    /// - `clamp` (one of `off`, `on`): Whether samples beyond full scale are cut to it.
    gain(gain: f64);

    /// Normalise. Brings the whole signal to a level: of its peak, its RMS or its loudness.
    ///
    /// - `target` (dB): The level that comes out, re full scale; in LUFS with to=lufs.
    /// - `mode` (one of `linked`, `per_channel`): linked: one gain for all channels; per_channel: each its own.
    /// - `to` (one of `peak`, `true_peak`, `rms`, `percentile`, `lufs`): What is brought to the target: peak, true_peak, rms, percentile, or loudness in lufs.
    /// - `percentile` (0..1): With to=percentile, the share of samples that stay at or below the target.
    /// - `ceiling` (dB): With to=lufs, the true peak that the gain does not take it beyond; 60 dB for none.
    normalize();

    /// FIR filter. Filters with taps: designed to a linear or the least phase, or read from a file.
    ///
    /// - `kind` (one of `lowpass`, `highpass`, `bandpass`, `bandstop`): What passes.
    /// - `cutoff` (Hz): The edge of a lowpass or a highpass.
    /// - `taps` (a number): How many; the more, the steeper. 0: as attenuation and transition need.
    /// - `window` (one of `hamming`, `hann`, `blackman`, `kaiser`, `rectangular`, `bartlett`, `barthann`, `blackman_harris`, `nuttall`, `flattop`, `parzen`, `bohman`): What the ideal response is cut off under, with method=window.
    /// - `low` (Hz): The lower edge of a bandpass or a bandstop.
    /// - `high` (Hz): The upper edge of a bandpass or a bandstop.
    /// - `attenuation` (dB): How far down the stop band is, for window=kaiser and for widths and taps that follow from it.
    /// - `transition` (Hz): How wide it is from pass to stop band, for taps=0, least_squares and equiripple; 0: as the taps allow.
    /// - `method` (one of `window`, `least_squares`, `equiripple`): By a window, with the least energy of the error, or with the least ripple.
    /// - `phase` (one of `linear`, `minimum`): linear: all frequencies come at the same time; minimum: all as early as can be.
    /// - `file` (a file): A file of taps to use instead of a design: .txt, .csv, .npy or a recording.
    fir();

    /// Convolution. Puts the sound into a room, a loudspeaker or anything else that an impulse response was recorded of.
    ///
    /// - `file` (a file): The impulse response, a recording.
    /// - `normalize` (one of `none`, `energy`, `peak`): none: the gain as recorded; energy: noise keeps its level; peak: the largest sample is 1.
    /// - `predelay` (s): Silence before the response.
    /// - `trim` (one of `none`, `start`, `end`, `both`): Where softness is cut off the response: at its start, its end, or both.
    /// - `threshold` (dB): What counts as soft for the trim, re the response's peak.
    convolve(file: impl Into<Value>);

    /// Compressor. Turns down what is above a threshold, so that loud and soft come nearer to each other.
    ///
    /// - `threshold` (dB): The level above which it reduces.
    /// - `ratio` (a number): By how many dB the level must rise for one more at the output.
    /// - `attack` (s): How fast a reduction sets in: 63 % of it within this time.
    /// - `release` (s): How fast it goes back.
    /// - `knee` (dB): How wide the bend at the threshold is; 0 dB is a corner.
    /// - `makeup` (dB): Gain after the reduction.
    /// - `auto_makeup` (one of `off`, `on`): on: full scale stays full scale; the make-up gain is added to that.
    /// - `range` (dB): The most it reduces.
    /// - `detector` (one of `peak`, `rms`): peak: each sample counts; rms: the mean square over a time.
    /// - `rms_time` (s): Over how long the mean square is taken, with detector=rms.
    /// - `hold` (s): How long a level counts on after it has fallen.
    /// - `lookahead` (s): How much earlier the detector hears; it is compensated.
    /// - `link` (0..1): How far the channels share one gain; at 0 % each has its own.
    /// - `lowpass` (Hz): The detector hears what is below; half the sample rate or more is all of it.
    /// - `highpass` (Hz): The detector hears what is above; 1 Hz is all of it.
    compressor();

    /// Expander. Turns down what is below a threshold, the more the softer it is: noise, bleed, room.
    ///
    /// - `threshold` (dB): The level below which it reduces.
    /// - `ratio` (a number): By how many dB the output falls for one dB of the input.
    /// - `attack` (s): How fast it opens: 63 % within this time.
    /// - `release` (s): How fast a reduction sets in.
    /// - `knee` (dB): How wide the bend at the threshold is; 0 dB is a corner.
    /// - `range` (dB): The most it reduces.
    /// - `detector` (one of `peak`, `rms`): peak: each sample counts; rms: the mean square over a time.
    /// - `rms_time` (s): Over how long the mean square is taken, with detector=rms.
    /// - `hold` (s): How long a level counts on after it has fallen.
    /// - `lookahead` (s): How much earlier the detector hears; it is compensated.
    /// - `link` (0..1): How far the channels share one gain; at 0 % each has its own.
    /// - `lowpass` (Hz): The detector hears what is below; half the sample rate or more is all of it.
    /// - `highpass` (Hz): The detector hears what is above; 1 Hz is all of it.
    expander();

    /// Gate. Lets pass what is above a threshold and turns all else down to a floor.
    ///
    /// - `threshold` (dB): The level that opens it.
    /// - `floor` (dB): The gain when it is closed.
    /// - `attack` (s): How fast it opens: 63 % within this time.
    /// - `release` (s): How fast it closes.
    /// - `hold` (s): How long a level counts on after it has fallen.
    /// - `hysteresis` (dB): By how much the level that closes it is lower.
    /// - `detector` (one of `peak`, `rms`): peak: each sample counts; rms: the mean square over a time.
    /// - `rms_time` (s): Over how long the mean square is taken, with detector=rms.
    /// - `lookahead` (s): How much earlier the detector hears; it is compensated.
    /// - `link` (0..1): How far the channels share one gain; at 0 % each has its own.
    /// - `lowpass` (Hz): The detector hears what is below; half the sample rate or more is all of it.
    /// - `highpass` (Hz): The detector hears what is above; 1 Hz is all of it.
    gate();

    /// Limiter. Lets no peak above a ceiling, between samples neither, without clipping.
    ///
    /// - `ceiling` (dB): The level that no peak exceeds.
    /// - `release` (s): How fast a reduction goes back: 63 % within this time.
    /// - `lookahead` (s): How long before a peak the gain begins to fall; it is compensated.
    /// - `peak` (one of `true`, `sample`): true: between samples as well; sample: the samples alone.
    /// - `link` (0..1): How far the channels share one gain; at 0 % each has its own.
    limiter();

    /// De-esser. Softens sharp s and sh sounds: a compressor that listens to the highs alone.
    ///
    /// - `frequency` (Hz): Where the highs begin that are listened to.
    /// - `threshold` (dB): The level of the highs above which it reduces.
    /// - `ratio` (a number): By how many dB the highs must rise for one more at the output.
    /// - `mode` (one of `wideband`, `split`): wideband: all is turned down; split: the highs alone.
    /// - `range` (dB): The most it reduces.
    /// - `attack` (s): How fast a reduction sets in: 63 % of it within this time.
    /// - `release` (s): How fast it goes back.
    /// - `knee` (dB): How wide the bend at the threshold is; 0 dB is a corner.
    /// - `link` (0..1): How far the channels share one gain; at 0 % each has its own.
    de_esser();

    /// Delay. Echoes after a time or a note, from side to side if wanted.
    ///
    /// - `time` (s or a note): From one echo to the next: seconds, or a note such as 1/8, dotted 1/8d, triplet 1/8t.
    /// - `bpm` (a number): Quarter notes in a minute, for a time or rate that is given as a note.
    /// - `feedback` (0..1): How loud each echo is re the one before.
    /// - `mix` (0..1): The share of the effect in the output; the rest is the sound as it came.
    /// - `mode` (one of `mono`, `ping_pong`): mono: every channel echoes by itself; ping_pong: from left to right and back, in pairs of channels.
    /// - `taps` (a number): So many echoes and no more; 0 lets them go on.
    /// - `lowpass` (Hz): Where the loop grows darker, echo by echo; half the rate or more leaves it as it is.
    /// - `highpass` (Hz): Where the loop grows thinner, echo by echo; 0.1 Hz leaves it as it is.
    delay(time: impl Into<Value>);

    /// Reverb. A room after Freeverb: quick, dense, as in many records.
    ///
    /// - `room` (0..1): How long it sounds: the combs' feedback, from 0.7 to 0.98.
    /// - `damping` (0..1): How much sooner the treble dies away.
    /// - `mix` (0..1): The share of the effect in the output; the rest is the sound as it came.
    /// - `width` (0..1): How far apart the sides of a pair are: 0 % is one room for both.
    reverb();

    /// Hall. A room or hall with a decay for each of three bands, from a feedback delay network.
    ///
    /// - `decay` (s): The time in which the middle of the spectrum fades by 60 dB.
    /// - `size` (0..1): How far apart the walls are.
    /// - `predelay` (s): How long the room keeps silent first.
    /// - `bass` (0..1): The decay below the low crossover re that of the middle.
    /// - `treble` (0..1): The decay above the high crossover re that of the middle.
    /// - `low` (Hz): Below it the bass decay holds.
    /// - `high` (Hz): Above it the treble decay holds.
    /// - `modulation` (0..1): How far the lines' ends swing.
    /// - `rate` (Hz): How often the lines' ends swing in a second.
    /// - `early` (0..1): The level of the first reflections.
    /// - `width` (0..1): How far apart the sides of a pair are.
    /// - `mix` (0..1): The share of the effect in the output; the rest is the sound as it came.
    fdn_reverb();

    /// Chorus. Several voices of one: each a little late and, to and fro, out of tune.
    ///
    /// - `rate` (Hz or a note): Cycles in a second, or one for each note: 1/4, dotted 1/4d, triplet 1/4t.
    /// - `depth` (s): How far each voice swings to either side.
    /// - `delay` (s): How late the voices are in the middle.
    /// - `voices` (a number): How many there are beside the sound itself.
    /// - `feedback` (0..1): How much of the voices goes round again.
    /// - `spread` (0..1): How far the channels' voices are apart.
    /// - `mix` (0..1): The share of the effect in the output; the rest is the sound as it came.
    /// - `shape` (one of `sine`, `triangle`): The waveform of a cycle: sine or triangle.
    /// - `bpm` (a number): Quarter notes in a minute, for a time or rate that is given as a note.
    chorus();

    /// Flanger. The sound against itself a swinging moment later: notches that sweep through the spectrum.
    ///
    /// - `rate` (Hz or a note): Cycles in a second, or one for each note: 1/4, dotted 1/4d, triplet 1/4t.
    /// - `depth` (s): How much longer the delay becomes.
    /// - `delay` (s): The shortest delay.
    /// - `feedback` (0..1): How much goes round again; below 0 upside down.
    /// - `mix` (0..1): The share of the effect in the output; the rest is the sound as it came.
    /// - `shape` (one of `sine`, `triangle`): The waveform of a cycle: sine or triangle.
    /// - `phase` (0..1): How much of a cycle each channel is ahead of the one before.
    /// - `interpolation` (one of `linear`, `quadratic`): How it reads between two frames.
    /// - `bpm` (a number): Quarter notes in a minute, for a time or rate that is given as a note.
    flanger();

    /// Phaser. Notches that sweep through the spectrum, from a chain of all-passes.
    ///
    /// - `rate` (Hz or a note): Cycles in a second, or one for each note: 1/4, dotted 1/4d, triplet 1/4t.
    /// - `stages` (a number): All-passes in the chain; two make a notch.
    /// - `low` (Hz): Where the sweep begins.
    /// - `high` (Hz): Where it turns.
    /// - `feedback` (0..1): How much goes round again; below 0 upside down.
    /// - `mix` (0..1): The share of the effect in the output; the rest is the sound as it came.
    /// - `shape` (one of `sine`, `triangle`): The waveform of a cycle: sine or triangle.
    /// - `phase` (0..1): How much of a cycle each channel is ahead of the one before.
    /// - `bpm` (a number): Quarter notes in a minute, for a time or rate that is given as a note.
    phaser();

    /// Swept comb. A short loop whose length swings in whole frames: the resonant sweep that SoX calls a phaser.
    ///
    /// - `rate` (Hz or a note): Cycles in a second, or one for each note: 1/4, dotted 1/4d, triplet 1/4t.
    /// - `delay` (s): The longest delay.
    /// - `feedback` (0..1): How much goes round again.
    /// - `mix` (0..1): The share of the effect in the output; the rest is the sound as it came.
    /// - `shape` (one of `sine`, `triangle`): The waveform of a cycle: sine or triangle.
    /// - `phase` (0..1): How much of a cycle each channel is ahead of the one before.
    /// - `bpm` (a number): Quarter notes in a minute, for a time or rate that is given as a note.
    swept_comb();

    /// Tremolo. A level that swings to and fro, in all channels together or from side to side.
    ///
    /// - `rate` (Hz or a note): Cycles in a second, or one for each note: 1/4, dotted 1/4d, triplet 1/4t.
    /// - `depth` (0..1): How much softer it becomes.
    /// - `shape` (one of `sine`, `triangle`, `square`, `saw`): The waveform of a cycle.
    /// - `phase` (0..1): How much of a cycle each channel is ahead of the one before.
    /// - `bpm` (a number): Quarter notes in a minute, for a time or rate that is given as a note.
    tremolo();

    /// Vibrato. A pitch that swings up and down around its own.
    ///
    /// - `rate` (Hz or a note): Cycles in a second, or one for each note: 1/4, dotted 1/4d, triplet 1/4t.
    /// - `depth` (a number): How far the pitch goes to either side, in cents.
    /// - `shape` (one of `sine`, `triangle`): The waveform of a cycle: sine or triangle.
    /// - `bpm` (a number): Quarter notes in a minute, for a time or rate that is given as a note.
    vibrato();

    /// Pan. Places a sound between left and right.
    ///
    /// - `position` (0..1): From -100 %, left, to 100 %, right.
    /// - `law` (one of `power`, `compromise`, `linear`, `balance`): Level at the centre: power -3 dB, compromise -4.5 dB, linear -6 dB, balance 0 dB.
    pan(position: f64);

    /// Balance. Makes the left or the right side softer.
    ///
    /// - `position` (0..1): Towards the side that keeps its level, from -100 %, left, to 100 %, right.
    /// - `curve` (one of `linear`, `sine`): How the other side becomes softer: linear, or sine.
    balance(position: f64);

    /// Width. Makes the stereo image narrower or wider.
    ///
    /// - `width` (0..1): Of the difference between left and right: 0 % mono, 100 % as it is.
    width(width: f64);

    /// Mid/side. Turns left and right into mid and side, or back.
    ///
    /// - `direction` (one of `encode`, `decode`): encode: to mid and side; decode: back to left and right.
    /// - `scale` (one of `half`, `power`): half: the middle keeps its level; power: both directions are the same.
    mid_side();

    /// Mono. Mixes all channels into one.
    ///
    /// - `law` (one of `mean`, `power`, `sum`): Weight of each of N channels: mean 1/N, power 1/sqrt(N), sum 1.
    /// - `out` (one of `one`, `all`): one channel, or all that there were, alike.
    mono();

    /// One channel. Takes one channel and leaves the others out.
    ///
    /// - `channel` (a number): Which, counted from 1: 1 is left, 2 right.
    /// - `out` (one of `one`, `all`): one channel, or all that there were, alike.
    channel();

    /// Swap channels. Puts two channels in each other's place.
    ///
    /// - `first` (a number): One channel, counted from 1.
    /// - `second` (a number): The other channel, counted from 1.
    swap();

    /// Invert polarity. Turns the sign of all samples round, of all channels or of one.
    ///
    /// - `channel` (a number): Which, counted from 1; 0 inverts all.
    invert();

    /// Fade in. Lets the beginning rise from silence.
    ///
    /// - `duration` (s): How long the rise takes.
    /// - `curve` (one of `linear`, `equal_power`, `exponential`, `s_curve`, `logarithmic`): The curve of the gain: linear, equal_power, exponential, s_curve or logarithmic.
    /// - `start` (s): Where it begins; all before is silent.
    fade_in(duration: f64);

    /// Fade out. Lets the end sink into silence.
    ///
    /// - `duration` (s): How long the fall takes.
    /// - `curve` (one of `linear`, `equal_power`, `exponential`, `s_curve`, `logarithmic`): The curve of the gain: linear, equal_power, exponential, s_curve or logarithmic.
    /// - `before` (s): How long the silence behind it lasts.
    fade_out(duration: f64);

    /// Saturation. Bends loud samples, which adds harmonics: warmth, grit, distortion.
    ///
    /// - `drive` (dB): How far the signal is driven into the curve.
    /// - `shape` (one of `tanh`, `soft`, `hard`, `tube`, `fold`): The curve: tanh, soft, hard, tube or fold.
    /// - `bias` (0..1): An offset before the curve, re full scale, which brings even harmonics.
    /// - `output` (dB): A gain behind the curve.
    /// - `oversampling` (one of `auto`, `x1`, `x2`, `x4`, `x8`, `x16`): At how many times the rate the curve runs; auto is what the shape needs.
    saturate();

    /// Bit crusher. Keeps few bits of each sample, and few samples.
    ///
    /// - `bits` (a number): The word length that is kept.
    /// - `rate` (Hz): How many samples a second are kept; the stream's own rate or more keeps all.
    /// - `antialias` (one of `off`, `on`): Whether what the lower rate cannot hold is taken away first.
    /// - `dither` (one of `none`, `tpdf`): tpdf: noise before rounding, so that it does not distort; none: no noise.
    bit_crush();

    /// Resample. Converts to another sample rate.
    ///
    /// - `rate` (Hz): The rate that comes out.
    resample(rate: u32);

    /// Trim silence. Cuts silence from the beginning and the end.
    ///
    /// - `threshold` (dB): What is not louder than this counts as silence, re full scale.
    /// - `padding` (s): How much of the silence is kept on either side.
    /// - `where` (one of `both`, `start`, `end`): Whether the start, the end or both are cut.
    trim_silence();

    /// Time stretch. Makes the signal longer or shorter and keeps its pitch.
    ///
    /// - `length` (0..1): Of the output, of the input's: 200 % is half the tempo.
    /// - `transients` (one of `crisp`, `smooth`): crisp: what begins suddenly stays sharp and in its place; smooth: it is treated like all else.
    /// - `window` (s): Long ones part tones that are close, short ones follow speech.
    time_stretch(length: f64);

    /// Pitch shift. Moves all pitches up or down and keeps the tempo.
    ///
    /// - `semitones` (a number): By how many, up or down; 12 are an octave.
    /// - `cents` (a number): Added to the semitones; 100 are one.
    /// - `formants` (one of `shift`, `keep`): shift: resonances move with the pitch; keep: they stay, so that a voice remains the same person's.
    /// - `transients` (one of `crisp`, `smooth`): crisp: what begins suddenly stays sharp and in its place; smooth: it is treated like all else.
    /// - `window` (s): Long ones part tones that are close, short ones follow speech.
    pitch_shift(semitones: f64);

    /// Spectral gain. Makes a part of the recording softer or louder, within a time and a band of frequencies.
    ///
    /// - `from` (s): Where the part begins, from the start of the recording.
    /// - `to` (s): Where it ends.
    /// - `low` (Hz): Its lowest frequency; 0 Hz takes all that is below the high edge.
    /// - `high` (Hz): Its highest frequency; half the sample rate or more takes all that is above the low edge.
    /// - `gain` (dB): By how much; -120 dB takes it away.
    /// - `fade` (s): How long the change takes to set in and to end, within the part.
    spectral_gain(from: f64, to: f64, low: f64, high: f64, gain: f64);

    /// Spectral isolate. Keeps a part of the recording alone, within a time and a band of frequencies.
    ///
    /// - `from` (s): Where the part begins, from the start of the recording.
    /// - `to` (s): Where it ends.
    /// - `low` (Hz): Its lowest frequency; 0 Hz takes all that is below the high edge.
    /// - `high` (Hz): Its highest frequency; half the sample rate or more takes all that is above the low edge.
    /// - `fade` (s): How long the change takes to set in and to end, within the part.
    spectral_isolate(from: f64, to: f64, low: f64, high: f64);

    /// Spectral heal. Mends a disturbed or missing part of the recording after what is around it.
    ///
    /// - `from` (s): Where the part begins, from the start of the recording.
    /// - `to` (s): Where it ends.
    /// - `low` (Hz): Its lowest frequency; 0 Hz takes all that is below the high edge.
    /// - `high` (Hz): Its highest frequency; half the sample rate or more takes all that is above the low edge.
    /// - `fade` (s): How long the change takes to set in and to end, within the part.
    spectral_heal(from: f64, to: f64, low: f64, high: f64);

    /// Denoise. Takes steady noise out: hiss, wind, a fan.
    ///
    /// - `from` (s): Where noise alone begins, from the start of the recording.
    /// - `to` (s): Where it ends; the same as from to look for the quietest.
    /// - `reduction` (dB): How much softer the noise becomes.
    /// - `sensitivity` (dB): How far above the noise a gate opens.
    /// - `time` (s): Over how long a time the level is judged.
    /// - `width` (Hz): Over how many frequencies the level is judged.
    /// - `attack` (s): How fast a gate opens.
    /// - `release` (s): How fast a gate shuts.
    /// - `output` (one of `cleaned`, `noise`): cleaned: without the noise; noise: what is taken away.
    denoise();

    /// De-click. Finds clicks and ticks and mends them; all else stays as it is, to the last bit.
    ///
    /// - `threshold` (dB): How far a click stands above what is usual; lower finds more.
    /// - `longest` (s): Longer ones are left.
    /// - `output` (one of `cleaned`, `clicks`): cleaned: without the clicks; clicks: what is taken away.
    declick();

    /// De-hum. Takes mains hum out: a frequency and its harmonics.
    ///
    /// - `frequency` (Hz): That of the mains.
    /// - `harmonics` (a number): How many notches, the first among them.
    /// - `q` (a number): Of the first notch: the higher, the narrower all are.
    dehum(frequency: f64);
}

// `where` is a Rust keyword, and `ChainBuilder::mix` is the wet/dry mix of a node.
parameters! {
    antialias "antialias"
    attack "attack"
    attenuation "attenuation"
    auto_makeup "auto_makeup"
    b100 "b100"
    b10k "b10k"
    b125 "b125"
    b12_5k "b12_5k"
    b160 "b160"
    b16k "b16k"
    b1_25k "b1_25k"
    b1_6k "b1_6k"
    b1k "b1k"
    b20 "b20"
    b200 "b200"
    b20k "b20k"
    b25 "b25"
    b250 "b250"
    b2_5k "b2_5k"
    b2k "b2k"
    b315 "b315"
    b31_5 "b31_5"
    b3_15k "b3_15k"
    b40 "b40"
    b400 "b400"
    b4k "b4k"
    b50 "b50"
    b500 "b500"
    b5k "b5k"
    b63 "b63"
    b630 "b630"
    b6_3k "b6_3k"
    b80 "b80"
    b800 "b800"
    b8k "b8k"
    band "band"
    bands "bands"
    bass "bass"
    before "before"
    bias "bias"
    bits "bits"
    bpm "bpm"
    ceiling "ceiling"
    center "center"
    center1 "center1"
    center2 "center2"
    center3 "center3"
    center4 "center4"
    center5 "center5"
    center6 "center6"
    cents "cents"
    channel "channel"
    clamp "clamp"
    curve "curve"
    cutoff "cutoff"
    damping "damping"
    decay "decay"
    delay "delay"
    depth "depth"
    design "design"
    detector "detector"
    direction "direction"
    dither "dither"
    drive "drive"
    duration "duration"
    early "early"
    effect_mix "mix"
    fade "fade"
    feedback "feedback"
    file "file"
    first "first"
    floor "floor"
    formants "formants"
    frequency "frequency"
    from "from"
    gain "gain"
    gain1 "gain1"
    gain2 "gain2"
    gain3 "gain3"
    gain4 "gain4"
    gain5 "gain5"
    gain6 "gain6"
    harmonics "harmonics"
    high "high"
    high_cutoff "high_cutoff"
    high_gain "high_gain"
    high_q "high_q"
    highpass "highpass"
    hold "hold"
    hysteresis "hysteresis"
    interpolation "interpolation"
    kind "kind"
    knee "knee"
    law "law"
    length "length"
    link "link"
    longest "longest"
    lookahead "lookahead"
    low "low"
    low_cutoff "low_cutoff"
    low_gain "low_gain"
    low_q "low_q"
    lowpass "lowpass"
    makeup "makeup"
    method "method"
    mode "mode"
    modulation "modulation"
    normalize "normalize"
    order "order"
    out "out"
    output "output"
    oversampling "oversampling"
    padding "padding"
    peak "peak"
    percentile "percentile"
    phase "phase"
    position "position"
    predelay "predelay"
    q "q"
    q1 "q1"
    q2 "q2"
    q3 "q3"
    q4 "q4"
    q5 "q5"
    q6 "q6"
    range "range"
    rate "rate"
    ratio "ratio"
    reduction "reduction"
    release "release"
    ripple "ripple"
    rms_time "rms_time"
    room "room"
    scale "scale"
    second "second"
    semitones "semitones"
    sensitivity "sensitivity"
    shape "shape"
    size "size"
    spread "spread"
    stages "stages"
    start "start"
    taps "taps"
    target "target"
    third "third"
    threshold "threshold"
    time "time"
    to "to"
    transients "transients"
    transition "transition"
    treble "treble"
    trim "trim"
    voices "voices"
    ways "ways"
    where_ "where"
    width "width"
    window "window"
}
