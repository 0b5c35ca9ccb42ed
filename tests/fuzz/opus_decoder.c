// Drives libopus as src/audio/opus_streams.rs and the Symphonia adapter do, with packets from the grammar of RFC 6716:
// every configuration, framing, count and padding at its extremes, random and real range-coded frames, mutants of real
// packets, and sequences that switch modes, lose packets and reset. scripts/fuzz-opus.mjs compiles it together with
// libopus under sanitizers. A sanitizer report, or a broken guarantee of the library (`fail`), ends the program.
//
// usage: opus_decoder SECONDS SEED

#include <math.h>
#include <opus.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_FRAMES = 5760, MOST_BYTES = 1 << 16, KEPT = 64 };

static uint64_t state;
static uint64_t packets, accepted, sequence_seed;

static uint64_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state * 0x2545f4914f6cdd1dull) >> 11;
}

static unsigned below(unsigned end) { return (unsigned)(next() % end); }

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

static void fail(const char *what) {
    fprintf(stderr, "FAULT in sequence %llu, packet %llu: %s\n", (unsigned long long)sequence_seed,
            (unsigned long long)packets, what);
    abort();
}

// A packet in memory of its exact size, so that a read past its end is detected.
typedef struct {
    uint8_t *bytes;
    unsigned count;
} Packet;

static uint8_t scratch[MOST_BYTES + 4096];
static Packet kept[KEPT];
static unsigned kept_count;

static Packet packet_of(const uint8_t *bytes, unsigned count) {
    Packet packet = {malloc(count ? count : 1), count};
    if (!packet.bytes) fail("no memory");
    memcpy(packet.bytes, bytes, count);
    return packet;
}

// Writes range-coded bytes: random, runs of one value (which decode as the most or least likely symbols), or both.
static void payload(uint8_t *to, unsigned count) {
    unsigned kind = below(6);
    for (unsigned at = 0; at < count; at++) {
        switch (kind) {
        case 0: to[at] = 0; break;
        case 1: to[at] = 0xff; break;
        case 2: to[at] = (uint8_t)(below(4) ? 0 : next()); break;
        case 3: to[at] = (uint8_t)(below(4) ? 0xff : next()); break;
        default: to[at] = (uint8_t)next();
        }
    }
}

static unsigned frame_bytes(void) {
    static const unsigned edges[] = {0, 1, 2, 3, 7, 8, 251, 252, 253, 255, 256, 1274, 1275, 1276};
    return below(3) ? below(160) : below(2) ? edges[below(14)] : below(1276);
}

static unsigned put_length(uint8_t *to, unsigned length) {
    if (length < 252) {
        to[0] = (uint8_t)length;
        return 1;
    }
    to[0] = (uint8_t)(252 + (length & 3));
    to[1] = (uint8_t)((length - to[0]) >> 2);
    return 2;
}

// Returns a grammar-based packet, mostly valid. The configuration is `toc` without its code.
static Packet generated(unsigned toc) {
    uint8_t *to = scratch;
    unsigned at = 0, code = below(4);
    to[at++] = (uint8_t)((toc & 0xfc) | code);
    if (code == 0) {
        unsigned count = frame_bytes();
        payload(to + at, count);
        at += count;
    } else if (code == 1) {
        unsigned count = 2 * frame_bytes() + (below(16) == 0);
        payload(to + at, count);
        at += count;
    } else if (code == 2) {
        unsigned first = frame_bytes(), second = frame_bytes();
        at += put_length(to + at, below(16) ? first : below(1276));
        payload(to + at, first + second);
        at += first + second;
    } else {
        static const unsigned counts[] = {0, 1, 2, 3, 6, 12, 24, 47, 48, 49, 63};
        unsigned count = below(2) ? counts[below(11)] : 1 + below(6), variable = below(2), padded = below(3) == 0;
        unsigned padding = 0, each = frame_bytes(), sizes[64];
        to[at++] = (uint8_t)(count | variable << 7 | padded << 6);
        if (padded) {
            unsigned whole = below(4) ? 0 : below(60);
            for (unsigned run = 0; run < whole; run++) to[at++] = 255;
            unsigned last = below(8) ? below(255) : 254;
            to[at++] = (uint8_t)last;
            padding = whole * 254 + last;
            // Sometimes the padding is longer than the packet.
            if (below(12) == 0) padding = below(padding + 1);
        }
        unsigned bytes = 0;
        for (unsigned frame = 0; frame < count; frame++) {
            sizes[frame] = variable ? frame_bytes() : each;
            if (bytes + sizes[frame] > MOST_BYTES / 2) sizes[frame] = variable ? 0 : sizes[frame];
            if (variable && frame + 1 < count) at += put_length(to + at, sizes[frame]);
            bytes += sizes[frame];
        }
        if (at + bytes + padding > MOST_BYTES) bytes = 0;
        payload(to + at, bytes);
        at += bytes;
        // Half of the paddings hold extensions (DRED, frame separators, long ones).
        payload(to + at, padding);
        for (unsigned here = 0; here < padding && below(2); here += 1 + below(40)) to[at + here] = (uint8_t)(below(128) << 1 | below(2));
        at += padding;
    }
    if (below(20) == 0) at = below(at + 1);
    return packet_of(scratch, at);
}

// Returns a real packet with a few bytes changed, truncated, or with the end of another one.
static Packet mutant(void) {
    const Packet *from = &kept[below(kept_count)];
    memcpy(scratch, from->bytes, from->count);
    unsigned count = from->count;
    for (unsigned change = below(5); change > 0 && count > 0; change--) {
        unsigned at = below(count);
        switch (below(5)) {
        case 0: scratch[at] ^= (uint8_t)(1 << below(8)); break;
        case 1: scratch[at] = (uint8_t)next(); break;
        case 2: count = at; break;
        case 3: memset(scratch + at, below(2) ? 0 : 0xff, count - at); break;
        default: {
            const Packet *other = &kept[below(kept_count)];
            unsigned tail = below(other->count + 1);
            memcpy(scratch + at, other->bytes + other->count - tail, tail);
            count = at + tail;
        }
        }
    }
    return packet_of(scratch, count);
}

// Encodes packets of one kind of signal and keeps them.
static void encode(void) {
    static const int rates[] = {8000, 12000, 16000, 24000, 48000};
    static const int tenths_of_ms[] = {25, 50, 100, 200, 400, 600, 800, 1000, 1200};
    static const int applications[] = {OPUS_APPLICATION_VOIP, OPUS_APPLICATION_AUDIO, OPUS_APPLICATION_RESTRICTED_LOWDELAY};
    int rate = rates[below(5)], channels = 1 + (int)below(2), error = 0;
    int frames = rate / 100 * tenths_of_ms[below(9)] / 100;
    OpusEncoder *encoder = opus_encoder_create(rate, channels, applications[below(3)], &error);
    if (error != OPUS_OK) fail("no encoder");
    opus_encoder_ctl(encoder, OPUS_SET_BITRATE(below(8) ? 6000 + (int)below(200000) : OPUS_BITRATE_MAX));
    opus_encoder_ctl(encoder, OPUS_SET_VBR((int)below(2)));
    opus_encoder_ctl(encoder, OPUS_SET_INBAND_FEC((int)below(3)));
    opus_encoder_ctl(encoder, OPUS_SET_PACKET_LOSS_PERC((int)below(60)));
    opus_encoder_ctl(encoder, OPUS_SET_DTX((int)below(2)));
    opus_encoder_ctl(encoder, OPUS_SET_COMPLEXITY((int)below(6)));
    opus_encoder_ctl(encoder, OPUS_SET_FORCE_CHANNELS(below(2) ? OPUS_AUTO : 1 + (int)below((unsigned)channels)));
    opus_encoder_ctl(encoder, OPUS_SET_BANDWIDTH(below(2) ? OPUS_AUTO : OPUS_BANDWIDTH_NARROWBAND + (int)below(5)));
    float *sound = malloc(sizeof(float) * (size_t)(frames * channels));
    double step = 0.001 + below(1000) * 0.002, phase = 0, noise = below(3) * 0.2, gain = below(4) ? 0.5 : 4.0;
    for (int packet = 0; packet < 6; packet++) {
        for (int at = 0; at < frames * channels; at++) {
            phase += step;
            sound[at] = (float)(gain * sin(phase) + noise * (below(2000) / 1000.0 - 1));
        }
        int count = opus_encode_float(encoder, sound, frames, scratch, 1276 * 6);
        if (count <= 0) continue;
        unsigned place = kept_count < KEPT ? kept_count++ : below(KEPT);
        free(kept[place].bytes);
        kept[place] = packet_of(scratch, (unsigned)count);
    }
    free(sound);
    opus_encoder_destroy(encoder);
}

// Runs one decoder on up to 400 packets.
static void sequence(void) {
    int channels = 1 + (int)below(2), error = 0;
    OpusDecoder *decoder = opus_decoder_create(48000, channels, &error);
    if (error != OPUS_OK) fail("no decoder");
    float *sound = malloc(sizeof(float) * (size_t)(MOST_FRAMES * channels));
    unsigned toc = below(256), stays = below(3);
    for (unsigned count = 1 + below(400); count > 0; count--) {
        unsigned kind = below(16);
        if (kind == 0) {
            opus_decoder_ctl(decoder, OPUS_RESET_STATE);
            continue;
        }
        if (!stays || below(8) == 0) toc = below(256);
        packets++;
        int frames;
        double begun = now();
        if (kind == 1) {
            // A lost packet to conceal: a multiple of 2.5 ms.
            frames = opus_decode_float(decoder, NULL, 0, sound, 120 * (1 + (int)below(48)), 0);
        } else {
            Packet packet = kind < 8 ? mutant() : generated(toc);
            // The packet after a loss may contain a copy of the lost one.
            int fec = kind == 2 || kind == 15, room = fec ? 120 * (1 + (int)below(48)) : MOST_FRAMES;
            int said = packet.count ? opus_packet_get_nb_samples(packet.bytes, (opus_int32)packet.count, 48000) : 0;
            frames = opus_decode_float(decoder, packet.bytes, (opus_int32)packet.count, sound, room, fec);
            if (packet.count && !fec && frames >= 0 && frames != said) fail("it gave other frames than the packet says");
            free(packet.bytes);
        }
        if (now() - begun > 2) fail("a packet took more than two seconds");
        if (frames > MOST_FRAMES) fail("it gave more than 120 ms");
        accepted += frames > 0;
        for (int at = 0; at < frames * channels; at++)
            if (!isfinite(sound[at])) fail("a sample is no finite number");
    }
    free(sound);
    opus_decoder_destroy(decoder);
}

int main(int count, char **words) {
    double seconds = count > 1 ? atof(words[1]) : 10, end = now() + seconds;
    uint64_t seed = count > 2 ? strtoull(words[2], NULL, 10) : 1, sequences = 0;
    do {
        // Each sequence depends only on its number.
        sequence_seed = seed + sequences++;
        state = sequence_seed * 0x9e3779b97f4a7c15ull | 1;
        next();
        kept_count = 0;
        for (unsigned rounds = 1 + below(3); rounds > 0; rounds--) encode();
        if (kept_count == 0) continue;
        sequence();
        for (unsigned at = 0; at < KEPT; at++) {
            free(kept[at].bytes);
            kept[at].bytes = NULL;
        }
    } while (now() < end);
    printf("%llu packets in %llu sequences from seed %llu, %llu of them decoded: no fault\n", (unsigned long long)packets,
           (unsigned long long)sequences, (unsigned long long)seed, (unsigned long long)accepted);
    return 0;
}
