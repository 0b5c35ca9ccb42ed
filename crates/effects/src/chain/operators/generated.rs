//! The constructors and parameter methods of all effects. Generated from the registry of effects by `npm run bindings`.

use super::ChainBuilder;
use super::macros::{constructors, parameters};
use crate::Value;

constructors! {
    /// Low-pass. Attenuates frequencies above the cutoff. The order sets the slope.
    ///
    /// - `cutoff` (Hz): Edge of the pass band, -3 dB with the default design.
    /// - `order` (a number): Slope: 6 dB per octave for each order.
    /// - `design` (one of `butterworth`, `chebyshev1`, `chebyshev2`, `elliptic`, `bessel`, `linkwitz_riley`): Filter family: butterworth is flat, chebyshev and elliptic are steep, bessel preserves waveforms, linkwitz_riley is for crossovers.
    /// - `ripple` (dB): Ripple in the pass band.
    /// - `attenuation` (dB): Minimum attenuation in the stop band.
    lowpass(cutoff: f64);

    /// High-pass. Attenuates frequencies below the cutoff. The order sets the slope.
    ///
    /// - `cutoff` (Hz): Edge of the pass band, -3 dB with the default design.
    /// - `order` (a number): Slope: 6 dB per octave for each order.
    /// - `design` (one of `butterworth`, `chebyshev1`, `chebyshev2`, `elliptic`, `bessel`, `linkwitz_riley`): Filter family: butterworth is flat, chebyshev and elliptic are steep, bessel preserves waveforms, linkwitz_riley is for crossovers.
    /// - `ripple` (dB): Ripple in the pass band.
    /// - `attenuation` (dB): Minimum attenuation in the stop band.
    highpass(cutoff: f64);

    /// Band-pass. Passes frequencies between two edges. The order sets the slopes.
    ///
    /// - `low` (Hz): Lower edge, -3 dB with the default design.
    /// - `high` (Hz): Upper edge, -3 dB with the default design.
    /// - `order` (a number): Slope on either side: 6 dB per octave for each order.
    /// - `design` (one of `butterworth`, `chebyshev1`, `chebyshev2`, `elliptic`, `bessel`, `linkwitz_riley`): Filter family: butterworth is flat, chebyshev and elliptic are steep, bessel preserves waveforms, linkwitz_riley is for crossovers.
    /// - `ripple` (dB): Ripple in the pass band.
    /// - `attenuation` (dB): Minimum attenuation in the stop band.
    bandpass(low: f64, high: f64);

    /// Band-stop. Removes frequencies between two edges.
    ///
    /// - `low` (Hz): Lower edge, -3 dB with the default design.
    /// - `high` (Hz): Upper edge, -3 dB with the default design.
    /// - `order` (a number): Slope towards the centre: 6 dB per octave for each order.
    /// - `design` (one of `butterworth`, `chebyshev1`, `chebyshev2`, `elliptic`, `bessel`, `linkwitz_riley`): Filter family: butterworth is flat, chebyshev and elliptic are steep, bessel preserves waveforms, linkwitz_riley is for crossovers.
    /// - `ripple` (dB): Ripple in the pass band.
    /// - `attenuation` (dB): Minimum attenuation in the stop band.
    bandstop(low: f64, high: f64);

    /// Low-pass (Q). A second-order low-pass with adjustable resonance.
    ///
    /// - `cutoff` (Hz): Corner frequency.
    /// - `q` (a number): Gain at the cutoff; 0.7071 is flat, more is resonant.
    rbj_lowpass(cutoff: f64);

    /// High-pass (Q). A second-order high-pass with adjustable resonance.
    ///
    /// - `cutoff` (Hz): Corner frequency.
    /// - `q` (a number): Gain at the cutoff; 0.7071 is flat, more is resonant.
    rbj_highpass(cutoff: f64);

    /// Band-pass (Q). A second-order band-pass around a centre frequency.
    ///
    /// - `center` (Hz): Centre frequency.
    /// - `q` (a number): Centre over bandwidth at -3 dB: higher is narrower.
    /// - `peak` (one of `skirt`, `unity`): Gain at the centre: skirt is Q, unity is 0 dB.
    rbj_bandpass(center: f64, q: f64);

    /// Notch. Removes one frequency and leaves the rest.
    ///
    /// - `center` (Hz): Frequency to remove.
    /// - `q` (a number): Centre over bandwidth at -3 dB: higher is narrower.
    notch(center: f64, q: f64);

    /// All-pass. Shifts the phase around a frequency without changing levels.
    ///
    /// - `center` (Hz): Frequency at which the phase shift is 180 degrees.
    /// - `q` (a number): How sudden the phase transition is.
    allpass(center: f64, q: f64);

    /// Peaking. Boosts or cuts the range around a frequency.
    ///
    /// - `center` (Hz): Centre frequency.
    /// - `q` (a number): Centre over bandwidth: higher is narrower.
    /// - `gain` (dB): Gain at the centre.
    peaking(center: f64, q: f64, gain: f64);

    /// Low shelf. Boosts or cuts all frequencies below a cutoff.
    ///
    /// - `cutoff` (Hz): Frequency of half the gain in dB.
    /// - `gain` (dB): Gain well below the cutoff.
    /// - `q` (a number): Steepness of the step; above 0.7071 it overshoots.
    low_shelf(cutoff: f64, gain: f64);

    /// High shelf. Boosts or cuts all frequencies above a cutoff.
    ///
    /// - `cutoff` (Hz): Frequency of half the gain in dB.
    /// - `gain` (dB): Gain well above the cutoff.
    /// - `q` (a number): Steepness of the step; above 0.7071 it overshoots.
    high_shelf(cutoff: f64, gain: f64);

    /// Parametric equaliser. Eight-band equaliser: low shelf, six peaks and high shelf.
    ///
    /// - `low_cutoff` (Hz): Cutoff of the low shelf.
    /// - `low_gain` (dB): Gain well below the cutoff of the low shelf.
    /// - `low_q` (a number): Steepness of the low shelf; above 0.7071 it overshoots.
    /// - `center1` (Hz): Centre of the first peak.
    /// - `gain1` (dB): Gain at the centre of the first peak.
    /// - `q1` (a number): Centre over bandwidth of the first peak.
    /// - `center2` (Hz): Centre of the second peak.
    /// - `gain2` (dB): Gain at the centre of the second peak.
    /// - `q2` (a number): Centre over bandwidth of the second peak.
    /// - `center3` (Hz): Centre of the third peak.
    /// - `gain3` (dB): Gain at the centre of the third peak.
    /// - `q3` (a number): Centre over bandwidth of the third peak.
    /// - `center4` (Hz): Centre of the fourth peak.
    /// - `gain4` (dB): Gain at the centre of the fourth peak.
    /// - `q4` (a number): Centre over bandwidth of the fourth peak.
    /// - `center5` (Hz): Centre of the fifth peak.
    /// - `gain5` (dB): Gain at the centre of the fifth peak.
    /// - `q5` (a number): Centre over bandwidth of the fifth peak.
    /// - `center6` (Hz): Centre of the sixth peak.
    /// - `gain6` (dB): Gain at the centre of the sixth peak.
    /// - `q6` (a number): Centre over bandwidth of the sixth peak.
    /// - `high_cutoff` (Hz): Cutoff of the high shelf.
    /// - `high_gain` (dB): Gain well above the cutoff of the high shelf.
    /// - `high_q` (a number): Steepness of the high shelf; above 0.7071 it overshoots.
    parametric_eq();

    /// Graphic equaliser, 10 bands. Ten-band graphic equaliser in octaves, exact at the band centres.
    ///
    /// - `b31_5` (dB): Gain at this frequency.
    /// - `b63` (dB): Gain at this frequency.
    /// - `b125` (dB): Gain at this frequency.
    /// - `b250` (dB): Gain at this frequency.
    /// - `b500` (dB): Gain at this frequency.
    /// - `b1k` (dB): Gain at this frequency.
    /// - `b2k` (dB): Gain at this frequency.
    /// - `b4k` (dB): Gain at this frequency.
    /// - `b8k` (dB): Gain at this frequency.
    /// - `b16k` (dB): Gain at this frequency.
    graphic_eq_10();

    /// Graphic equaliser, 31 bands. Thirty-one-band graphic equaliser in third octaves, exact at the band centres.
    ///
    /// - `b20` (dB): Gain at this frequency.
    /// - `b25` (dB): Gain at this frequency.
    /// - `b31_5` (dB): Gain at this frequency.
    /// - `b40` (dB): Gain at this frequency.
    /// - `b50` (dB): Gain at this frequency.
    /// - `b63` (dB): Gain at this frequency.
    /// - `b80` (dB): Gain at this frequency.
    /// - `b100` (dB): Gain at this frequency.
    /// - `b125` (dB): Gain at this frequency.
    /// - `b160` (dB): Gain at this frequency.
    /// - `b200` (dB): Gain at this frequency.
    /// - `b250` (dB): Gain at this frequency.
    /// - `b315` (dB): Gain at this frequency.
    /// - `b400` (dB): Gain at this frequency.
    /// - `b500` (dB): Gain at this frequency.
    /// - `b630` (dB): Gain at this frequency.
    /// - `b800` (dB): Gain at this frequency.
    /// - `b1k` (dB): Gain at this frequency.
    /// - `b1_25k` (dB): Gain at this frequency.
    /// - `b1_6k` (dB): Gain at this frequency.
    /// - `b2k` (dB): Gain at this frequency.
    /// - `b2_5k` (dB): Gain at this frequency.
    /// - `b3_15k` (dB): Gain at this frequency.
    /// - `b4k` (dB): Gain at this frequency.
    /// - `b5k` (dB): Gain at this frequency.
    /// - `b6_3k` (dB): Gain at this frequency.
    /// - `b8k` (dB): Gain at this frequency.
    /// - `b10k` (dB): Gain at this frequency.
    /// - `b12_5k` (dB): Gain at this frequency.
    /// - `b16k` (dB): Gain at this frequency.
    /// - `b20k` (dB): Gain at this frequency.
    graphic_eq_31();

    /// Tilt. Tilts the spectrum: boosts highs while cutting lows, or the reverse.
    ///
    /// - `gain` (dB): Gain of the highs; the lows get the opposite gain.
    /// - `center` (Hz): Frequency that stays at 0 dB.
    /// - `shape` (one of `shelf`, `line`): shelf is a step between lows and highs; line a constant slope per octave.
    tilt(gain: f64);

    /// Comb. Boosts or removes a frequency and its harmonics.
    ///
    /// - `frequency` (Hz): Distance of the teeth; the delay is one period of it.
    /// - `gain` (0..1): Share of the delayed signal that is added; negative swaps peaks and notches.
    /// - `kind` (one of `feedforward`, `feedback`): feedforward has deep notches; feedback has narrow, ringing peaks.
    comb(frequency: f64);

    /// DC blocker. Removes a constant offset without an audible change.
    ///
    /// - `cutoff` (Hz): Frequency of the -3 dB point.
    dc_block();

    /// Crossover. Outputs one band of a two- to four-way split whose bands sum to the input.
    ///
    /// - `band` (a number): Band that is output; 1 is the lowest.
    /// - `first` (Hz): Crossover of the first and second band.
    /// - `second` (Hz): Crossover of the second and third band.
    /// - `third` (Hz): Crossover of the third and fourth band.
    /// - `ways` (a number): Number of bands.
    /// - `order` (a number): Slope: 6 dB per octave for each order; an even number.
    crossover(band: f64, first: f64);

    /// Filter bank. Outputs one of many bands of equal width in octaves.
    ///
    /// - `band` (a number): Band that is output; 1 is the lowest.
    /// - `bands` (a number): Number of bands.
    /// - `order` (a number): Slope on either side: 6 dB per octave for each order.
    /// - `low` (Hz): Lower edge of the lowest band.
    /// - `high` (Hz): Upper edge of the highest band.
    filter_bank(band: f64);

    /// Gain. Raises or lowers the level.
    ///
    /// - `gain` (dB): Change of level; a percentage is an amplitude.
    /// - `clamp` (one of `off`, `on`): Clips samples beyond full scale.
    gain(gain: f64);

    /// Normalise. Sets the peak, RMS or loudness of the whole signal to a target.
    ///
    /// - `target` (dB): Level of the output, relative to full scale; in LUFS with to=lufs.
    /// - `mode` (one of `linked`, `per_channel`): linked uses one gain for all channels; per_channel one for each.
    /// - `to` (one of `peak`, `true_peak`, `rms`, `percentile`, `lufs`): Level that is brought to the target; lufs is loudness.
    /// - `percentile` (0..1): Share of samples that stay at or below the target.
    /// - `ceiling` (dB): True peak that the gain does not exceed; 60 dB is off.
    /// - `from` (s): Start of the part whose level is measured.
    /// - `until` (s): End of that part; equal to from to measure all.
    normalize();

    /// FIR filter. A filter with a finite impulse response, designed here or read from a file.
    ///
    /// - `kind` (one of `lowpass`, `highpass`, `bandpass`, `bandstop`): Response of the filter.
    /// - `cutoff` (Hz): Edge of the lowpass or highpass.
    /// - `taps` (a number): Number of taps: more are steeper; 0 follows from attenuation and transition.
    /// - `window` (one of `hamming`, `hann`, `blackman`, `kaiser`, `rectangular`, `bartlett`, `barthann`, `blackman_harris`, `nuttall`, `flattop`, `parzen`, `bohman`): Window of the ideal response.
    /// - `low` (Hz): Lower edge of the bandpass or bandstop.
    /// - `high` (Hz): Upper edge of the bandpass or bandstop.
    /// - `attenuation` (dB): Attenuation of the stop band.
    /// - `transition` (Hz): Width between pass band and stop band; 0 follows from taps and attenuation.
    /// - `method` (one of `window`, `least_squares`, `equiripple`): window is quick, least_squares has the least error, equiripple the least ripple.
    /// - `phase` (one of `linear`, `minimum`): linear delays all frequencies equally; minimum has the least delay.
    /// - `file` (a file): File of taps instead of a design: .txt, .csv, .npy or a recording.
    fir();

    /// Convolution. Applies the sound of a room, loudspeaker or device from its impulse response.
    ///
    /// - `file` (a file): Recording of the impulse response.
    /// - `normalize` (one of `none`, `energy`, `peak`): none keeps the recorded gain; energy keeps the level of noise; peak scales the largest sample to 1.
    /// - `predelay` (s): Silence before the response.
    /// - `trim` (one of `none`, `start`, `end`, `both`): Which quiet ends of the response are removed.
    /// - `threshold` (dB): Level below which the ends are removed, relative to the response's peak.
    convolve(file: impl Into<Value>);

    /// Compressor. Reduces levels above a threshold, for a smaller dynamic range.
    ///
    /// - `threshold` (dB): Level above which the gain is reduced.
    /// - `ratio` (a number): Input change in dB for 1 dB of output change above the threshold.
    /// - `attack` (s): Time in which 63 % of a reduction is reached.
    /// - `release` (s): Time in which 63 % of a reduction is released.
    /// - `knee` (dB): Width of the soft transition at the threshold; 0 dB is a hard knee.
    /// - `makeup` (dB): Gain after the reduction.
    /// - `auto_makeup` (one of `off`, `on`): Adds make-up gain so that full scale stays full scale.
    /// - `range` (dB): Maximum reduction; 120 dB is no limit.
    /// - `detector` (one of `peak`, `rms`): Level detection: peak follows each sample; rms averages over a time.
    /// - `rms_time` (s): Averaging time of the RMS detector.
    /// - `hold` (s): How long the detected level is held after it has fallen.
    /// - `lookahead` (s): How far the detector looks ahead; the latency is compensated.
    /// - `link` (0..1): How much the channels share one gain; at 0 % each has its own.
    /// - `lowpass` (Hz): Low-pass of the detector; half the sample rate or more is off.
    /// - `highpass` (Hz): High-pass of the detector; 1 Hz is off.
    compressor();

    /// Expander. Reduces levels below a threshold: noise, bleed, room.
    ///
    /// - `threshold` (dB): Level below which the gain is reduced.
    /// - `ratio` (a number): Output change in dB for 1 dB of input change below the threshold.
    /// - `attack` (s): Time in which 63 % of a reduction is released.
    /// - `release` (s): Time in which 63 % of a reduction is reached.
    /// - `knee` (dB): Width of the soft transition at the threshold; 0 dB is a hard knee.
    /// - `range` (dB): Maximum reduction; 120 dB is no limit.
    /// - `detector` (one of `peak`, `rms`): Level detection: peak follows each sample; rms averages over a time.
    /// - `rms_time` (s): Averaging time of the RMS detector.
    /// - `hold` (s): How long the detected level is held after it has fallen.
    /// - `lookahead` (s): How far the detector looks ahead; the latency is compensated.
    /// - `link` (0..1): How much the channels share one gain; at 0 % each has its own.
    /// - `lowpass` (Hz): Low-pass of the detector; half the sample rate or more is off.
    /// - `highpass` (Hz): High-pass of the detector; 1 Hz is off.
    expander();

    /// Gate. Passes levels above a threshold and attenuates the rest.
    ///
    /// - `threshold` (dB): Level at which the gate opens.
    /// - `floor` (dB): Gain when the gate is closed.
    /// - `attack` (s): Time in which 63 % of the opening is complete.
    /// - `release` (s): Time in which 63 % of the closing is complete.
    /// - `hold` (s): How long the detected level is held after it has fallen.
    /// - `hysteresis` (dB): How far below the threshold the gate closes.
    /// - `detector` (one of `peak`, `rms`): Level detection: peak follows each sample; rms averages over a time.
    /// - `rms_time` (s): Averaging time of the RMS detector.
    /// - `lookahead` (s): How far the detector looks ahead; the latency is compensated.
    /// - `link` (0..1): How much the channels share one gain; at 0 % each has its own.
    /// - `lowpass` (Hz): Low-pass of the detector; half the sample rate or more is off.
    /// - `highpass` (Hz): High-pass of the detector; 1 Hz is off.
    gate();

    /// Limiter. Limits peaks to a ceiling, including peaks between samples.
    ///
    /// - `ceiling` (dB): Level that no peak exceeds.
    /// - `release` (s): Time in which 63 % of a reduction is released.
    /// - `lookahead` (s): How long before a peak the gain begins to fall; the latency is compensated.
    /// - `peak` (one of `true`, `sample`): true includes peaks between samples; sample counts samples only.
    /// - `link` (0..1): How much the channels share one gain; at 0 % each has its own.
    limiter();

    /// De-esser. Reduces harsh s and sh sounds.
    ///
    /// - `frequency` (Hz): Lower edge of the band in which sibilance is detected.
    /// - `threshold` (dB): Level of this band above which the gain is reduced.
    /// - `ratio` (a number): Input change in dB for 1 dB of output change above the threshold.
    /// - `mode` (one of `wideband`, `split`): wideband reduces the whole signal; split only the band above the frequency.
    /// - `range` (dB): Maximum reduction.
    /// - `attack` (s): Time in which 63 % of a reduction is reached.
    /// - `release` (s): Time in which 63 % of a reduction is released.
    /// - `knee` (dB): Width of the soft transition at the threshold; 0 dB is a hard knee.
    /// - `link` (0..1): How much the channels share one gain; at 0 % each has its own.
    de_esser();

    /// Delay. Echoes after a time or a note length, optionally alternating between sides.
    ///
    /// - `time` (s or a note): Time between echoes: seconds, or a note such as 1/8, dotted 1/8d, triplet 1/8t.
    /// - `bpm` (a number): Beats (quarter notes) per minute, for a time or rate given as a note.
    /// - `feedback` (0..1): Level of each echo relative to the previous one.
    /// - `mix` (0..1): Share of the effect in the output; the rest is the input.
    /// - `mode` (one of `mono`, `ping_pong`): mono delays each channel separately; ping_pong alternates between left and right.
    /// - `taps` (a number): Number of echoes; 0 is endless.
    /// - `lowpass` (Hz): Low-pass in the feedback loop; half the sample rate or more is off.
    /// - `highpass` (Hz): High-pass in the feedback loop; 0.1 Hz is off.
    delay(time: impl Into<Value>);

    /// Reverb. A fast, dense reverb after Freeverb.
    ///
    /// - `room` (0..1): Size of the room, which sets the decay time.
    /// - `damping` (0..1): How much faster high frequencies decay.
    /// - `mix` (0..1): Share of the effect in the output; the rest is the input.
    /// - `width` (0..1): Stereo width; 0 % is mono.
    reverb();

    /// Hall. A room or hall with separate decay times for lows, mids and highs.
    ///
    /// - `decay` (s): Time in which mid frequencies decay by 60 dB.
    /// - `size` (0..1): Size of the room.
    /// - `predelay` (s): Delay before the reverb.
    /// - `bass` (0..1): Decay time below the low crossover relative to the mids.
    /// - `treble` (0..1): Decay time above the high crossover relative to the mids.
    /// - `low` (Hz): Frequency below which the bass decay applies.
    /// - `high` (Hz): Frequency above which the treble decay applies.
    /// - `modulation` (0..1): Depth of the modulation of the delay lines.
    /// - `rate` (Hz): Frequency of the modulation.
    /// - `early` (0..1): Level of the early reflections.
    /// - `width` (0..1): Stereo width; 0 % is mono.
    /// - `mix` (0..1): Share of the effect in the output; the rest is the input.
    fdn_reverb();

    /// Chorus. Mixes in several slightly delayed and detuned voices.
    ///
    /// - `rate` (Hz or a note): Cycles per second, or one cycle per note: 1/4, dotted 1/4d, triplet 1/4t.
    /// - `depth` (s): Modulation of the delay to either side.
    /// - `delay` (s): Mean delay of the voices.
    /// - `voices` (a number): Number of voices besides the input.
    /// - `feedback` (0..1): Share of the voices that is fed back.
    /// - `spread` (0..1): Phase offset between the voices of the channels.
    /// - `mix` (0..1): Share of the effect in the output; the rest is the input.
    /// - `shape` (one of `sine`, `triangle`): Waveform of the modulation.
    /// - `bpm` (a number): Beats (quarter notes) per minute, for a time or rate given as a note.
    chorus();

    /// Flanger. Sweeping notches from a short, modulated delay.
    ///
    /// - `rate` (Hz or a note): Cycles per second, or one cycle per note: 1/4, dotted 1/4d, triplet 1/4t.
    /// - `depth` (s): Modulation depth of the delay.
    /// - `delay` (s): Shortest delay.
    /// - `feedback` (0..1): Feedback; negative values invert it.
    /// - `mix` (0..1): Share of the effect in the output; the rest is the input.
    /// - `shape` (one of `sine`, `triangle`): Waveform of the modulation.
    /// - `phase` (0..1): Phase advance of each further channel.
    /// - `interpolation` (one of `linear`, `quadratic`): Interpolation between frames.
    /// - `bpm` (a number): Beats (quarter notes) per minute, for a time or rate given as a note.
    flanger();

    /// Phaser. Sweeping notches from a chain of all-pass filters.
    ///
    /// - `rate` (Hz or a note): Cycles per second, or one cycle per note: 1/4, dotted 1/4d, triplet 1/4t.
    /// - `stages` (a number): Number of all-pass filters; two make a notch.
    /// - `low` (Hz): Lower end of the sweep.
    /// - `high` (Hz): Upper end of the sweep.
    /// - `feedback` (0..1): Feedback; negative values invert it.
    /// - `mix` (0..1): Share of the effect in the output; the rest is the input.
    /// - `shape` (one of `sine`, `triangle`): Waveform of the modulation.
    /// - `phase` (0..1): Phase advance of each further channel.
    /// - `bpm` (a number): Beats (quarter notes) per minute, for a time or rate given as a note.
    phaser();

    /// Swept comb. A resonant sweep from a modulated feedback loop; the phaser of SoX.
    ///
    /// - `rate` (Hz or a note): Cycles per second, or one cycle per note: 1/4, dotted 1/4d, triplet 1/4t.
    /// - `delay` (s): Longest delay.
    /// - `feedback` (0..1): Feedback.
    /// - `mix` (0..1): Share of the effect in the output; the rest is the input.
    /// - `shape` (one of `sine`, `triangle`): Waveform of the modulation.
    /// - `phase` (0..1): Phase advance of each further channel.
    /// - `bpm` (a number): Beats (quarter notes) per minute, for a time or rate given as a note.
    swept_comb();

    /// Tremolo. Modulates the level periodically, in all channels or from side to side.
    ///
    /// - `rate` (Hz or a note): Cycles per second, or one cycle per note: 1/4, dotted 1/4d, triplet 1/4t.
    /// - `depth` (0..1): Depth of the modulation.
    /// - `shape` (one of `sine`, `triangle`, `square`, `saw`): Waveform of the modulation.
    /// - `phase` (0..1): Phase advance of each further channel.
    /// - `bpm` (a number): Beats (quarter notes) per minute, for a time or rate given as a note.
    tremolo();

    /// Vibrato. Modulates the pitch periodically.
    ///
    /// - `rate` (Hz or a note): Cycles per second, or one cycle per note: 1/4, dotted 1/4d, triplet 1/4t.
    /// - `depth` (a number): Pitch deviation to either side, in cents.
    /// - `shape` (one of `sine`, `triangle`): Waveform of the modulation.
    /// - `bpm` (a number): Beats (quarter notes) per minute, for a time or rate given as a note.
    vibrato();

    /// Pan. Places the sound between left and right.
    ///
    /// - `position` (0..1): From -100 % (left) to 100 % (right).
    /// - `law` (one of `power`, `compromise`, `linear`, `balance`): Level of both sides at the centre: power -3 dB, compromise -4.5 dB, linear -6 dB, balance 0 dB.
    pan(position: f64);

    /// Balance. Attenuates the left or the right side.
    ///
    /// - `position` (0..1): From -100 % (left only) to 100 % (right only).
    /// - `curve` (one of `linear`, `sine`): Curve of the attenuation.
    balance(position: f64);

    /// Width. Narrows or widens the stereo image.
    ///
    /// - `width` (0..1): Width of the image: 0 % is mono, 100 % is unchanged.
    width(width: f64);

    /// Mid/side. Converts left/right to mid/side, or back.
    ///
    /// - `direction` (one of `encode`, `decode`): encode converts to mid and side; decode back to left and right.
    /// - `scale` (one of `half`, `power`): half keeps the level of the middle; power makes both directions equal.
    mid_side();

    /// Mono. Mixes all channels into one.
    ///
    /// - `law` (one of `mean`, `power`, `sum`): Weight of each of N channels: mean 1/N, power 1/sqrt(N), sum 1.
    /// - `out` (one of `one`, `all`): one outputs a single channel; all keeps the number of channels.
    mono();

    /// Downmix. Mixes surround sound down to fewer loudspeakers.
    ///
    /// - `to` (one of `stereo`, `mono`, `front`, `quad`, `five`, `five_one`): Layout to mix to: front is 3.0, five 5.0, five_one 5.1.
    /// - `lfe` (one of `off`, `on`): Whether the low-frequency effects are mixed in if the layout has no channel for them.
    downmix();

    /// One channel. Keeps one channel and removes the others.
    ///
    /// - `channel` (a number): Channel to keep: 1 is left, 2 right.
    /// - `out` (one of `one`, `all`): one outputs a single channel; all keeps the number of channels.
    channel();

    /// Swap channels. Swaps two channels.
    ///
    /// - `first` (a number): First channel, counted from 1.
    /// - `second` (a number): Second channel, counted from 1.
    swap();

    /// Invert polarity. Inverts the polarity of all channels or of one.
    ///
    /// - `channel` (a number): Channel to invert, counted from 1; 0 inverts all.
    invert();

    /// Fade in. Fades in from silence.
    ///
    /// - `duration` (s): Length of the fade.
    /// - `curve` (one of `linear`, `equal_power`, `exponential`, `s_curve`, `logarithmic`): Curve of the gain.
    /// - `start` (s): Start of the fade; everything before is silent.
    fade_in(duration: f64);

    /// Fade out. Fades out to silence.
    ///
    /// - `duration` (s): Length of the fade.
    /// - `curve` (one of `linear`, `equal_power`, `exponential`, `s_curve`, `logarithmic`): Curve of the gain.
    /// - `before` (s): Length of the silence after the fade.
    fade_out(duration: f64);

    /// Saturation. Soft or hard distortion that adds harmonics: warmth, grit, overdrive.
    ///
    /// - `drive` (dB): Gain before the curve.
    /// - `shape` (one of `tanh`, `soft`, `hard`, `tube`, `fold`): Shape of the curve.
    /// - `bias` (0..1): Offset before the curve, relative to full scale, for even harmonics.
    /// - `output` (dB): Gain after the curve.
    /// - `oversampling` (one of `auto`, `x1`, `x2`, `x4`, `x8`, `x16`): Oversampling of the curve; auto suits the shape.
    saturate();

    /// Bit crusher. Reduces word length and sample rate, for a lo-fi sound.
    ///
    /// - `bits` (a number): Word length.
    /// - `rate` (Hz): Rate at which samples are held; the stream's own rate or more is off.
    /// - `antialias` (one of `off`, `on`): Removes content that the lower rate would alias.
    /// - `dither` (one of `none`, `tpdf`): tpdf adds noise before rounding, which prevents distortion.
    bit_crush();

    /// Codec. Codes and decodes the sound with a neural codec: EnCodec, DAC or Mimi.
    ///
    /// - `model` (a file): Weight file of EnCodec, DAC or Mimi, or its folder.
    /// - `bandwidth` (kbit/s): Bit rate for which as many books of codes are used as fit.
    codec(model: impl Into<Value>);

    /// Resample. Converts to another sample rate.
    ///
    /// - `rate` (Hz): Sample rate of the output.
    resample(rate: u32);

    /// Trim silence. Removes silence from the beginning and the end.
    ///
    /// - `threshold` (dB): Level up to which sound counts as silence, relative to full scale.
    /// - `padding` (s): Silence kept on either side.
    /// - `where` (one of `both`, `start`, `end`): Which ends are trimmed.
    trim_silence();

    /// Time stretch. Changes the duration and keeps the pitch.
    ///
    /// - `length` (0..1): Output duration relative to the input: 200 % is half the tempo.
    /// - `transients` (one of `crisp`, `smooth`): crisp keeps attacks sharp and in place; smooth treats them like steady sound.
    /// - `window` (s): Analysis window: long separates close tones, short follows speech.
    time_stretch(length: f64);

    /// Pitch shift. Changes the pitch and keeps the duration.
    ///
    /// - `semitones` (a number): Shift in semitones; 12 are an octave.
    /// - `cents` (a number): Fine shift; 100 cents are a semitone.
    /// - `formants` (one of `shift`, `keep`): shift moves resonances with the pitch; keep preserves the character of a voice.
    /// - `transients` (one of `crisp`, `smooth`): crisp keeps attacks sharp and in place; smooth treats them like steady sound.
    /// - `window` (s): Analysis window: long separates close tones, short follows speech.
    pitch_shift(semitones: f64);

    /// Spectral gain. Attenuates or boosts a region of time and frequency.
    ///
    /// - `from` (s): Start of the region in the recording.
    /// - `to` (s): End of the region.
    /// - `low` (Hz): Lowest frequency; 0 Hz is open.
    /// - `high` (Hz): Highest frequency; half the sample rate or more is open.
    /// - `gain` (dB): Change of level; -120 dB removes the region.
    /// - `fade` (s): Fade in and out of the change, within the region.
    spectral_gain(from: f64, to: f64, low: f64, high: f64, gain: f64);

    /// Spectral isolate. Keeps only a region of time and frequency.
    ///
    /// - `from` (s): Start of the region in the recording.
    /// - `to` (s): End of the region.
    /// - `low` (Hz): Lowest frequency; 0 Hz is open.
    /// - `high` (Hz): Highest frequency; half the sample rate or more is open.
    /// - `fade` (s): Fade in and out of the change, within the region.
    spectral_isolate(from: f64, to: f64, low: f64, high: f64);

    /// Spectral heal. Replaces a damaged region with sound estimated from its surroundings.
    ///
    /// - `from` (s): Start of the region in the recording.
    /// - `to` (s): End of the region.
    /// - `low` (Hz): Lowest frequency; 0 Hz is open.
    /// - `high` (Hz): Highest frequency; half the sample rate or more is open.
    /// - `fade` (s): Fade in and out of the change, within the region.
    spectral_heal(from: f64, to: f64, low: f64, high: f64);

    /// Denoise. Reduces steady noise such as hiss, wind or a fan.
    ///
    /// - `from` (s): Start of the part that contains only noise.
    /// - `to` (s): End of that part; equal to from to use the quietest parts.
    /// - `reduction` (dB): Attenuation of the noise.
    /// - `sensitivity` (dB): Level above the noise at which a gate opens.
    /// - `time` (s): Averaging time of the level.
    /// - `width` (Hz): Averaging bandwidth of the level.
    /// - `attack` (s): Time in which a gate opens.
    /// - `release` (s): Time in which a gate closes.
    /// - `output` (one of `cleaned`, `noise`): cleaned outputs the sound without noise; noise outputs what is removed.
    denoise();

    /// De-click. Detects and repairs clicks; everything else is unchanged, bit for bit.
    ///
    /// - `threshold` (dB): Level of a click above the prediction error; lower finds more.
    /// - `longest` (s): Longest click to repair.
    /// - `output` (one of `cleaned`, `clicks`): cleaned outputs the sound without clicks; clicks outputs what is removed.
    declick();

    /// De-hum. Removes mains hum and its harmonics.
    ///
    /// - `frequency` (Hz): Mains frequency: 50 or 60 Hz.
    /// - `harmonics` (a number): Number of notches, including the first.
    /// - `q` (a number): Q of the first notch: higher makes all notches narrower.
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
    bandwidth "bandwidth"
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
    lfe "lfe"
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
    model "model"
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
    until "until"
    voices "voices"
    ways "ways"
    where_ "where"
    width "width"
    window "window"
}
