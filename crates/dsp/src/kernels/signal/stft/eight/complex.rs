//! Complex transforms of eight signals, one in each lane.
//!
//! Decimation in frequency, in place: a pass of radix `R` over blocks of `n` points puts the `R` interleaved results of
//! each block one after the other. The result is in the order of the passes' digits, which [`EightFft::place`] gives;
//! as a point is a whole vector, reading in another order costs nothing. No vector is ever rearranged, so a transform
//! consists only of additions and multiplications.

use std::f64::consts::TAU;

use base::simd::{LANES, Singles};

/// One point of eight signals: the real and the imaginary parts.
pub(crate) type Point = [[f32; LANES]; 2];

/// The number of points that the innermost passes work through before the next block: 16 KiB, half of a first-level
/// cache.
const NEAR_POINTS: usize = 256;

/// A planned transform of one length: `Z(k) = sum over n of z(n) exp(-2 pi i k n / points)`.
#[derive(Clone, Debug)]
pub(crate) struct EightFft {
    points: usize,
    passes: Vec<Pass>,
    /// The number of leading passes that run over all points, one after the other.
    far: usize,
    places: Vec<u32>,
}

/// A pass over blocks of a length.
#[derive(Clone, Debug)]
struct Pass {
    radix: usize,
    /// The number of points of a block divided by the radix.
    part: usize,
    /// `exp(-2 pi i j q / (radix part))` for `j` below `part`, and of each for `q` from 1 below `radix`.
    twiddles: Vec<[f32; 2]>,
    /// `exp(-2 pi i q r / radix)` for `q` and `r` below the radix, for radixes without a dedicated butterfly.
    roots: Vec<[f32; 2]>,
}

impl Pass {
    fn new(radix: usize, part: usize) -> Self {
        let root = |share: f64| [(TAU * share).cos() as f32, -(TAU * share).sin() as f32];
        let block = (radix * part) as f64;
        let twiddles = (0..part).flat_map(|j| (1..radix).map(move |q| root((j * q) as f64 / block))).collect();
        let roots = (0..radix).flat_map(|q| (0..radix).map(move |r| root((q * r % radix) as f64 / radix as f64)));
        Self { radix, part, twiddles, roots: if radix <= 4 { Vec::new() } else { roots.collect() } }
    }
}

/// Returns the radixes of the passes: the small ones that remain first, then as many fours as possible.
fn radixes(points: usize) -> Vec<usize> {
    let (mut rest, mut fours, mut others) = (points, Vec::new(), Vec::new());
    while rest.is_multiple_of(4) {
        fours.push(4);
        rest /= 4;
    }
    let mut radix = 2;
    while rest > 1 {
        if rest.is_multiple_of(radix) {
            others.push(radix);
            rest /= radix;
        } else {
            radix += 1;
        }
    }
    others.reverse();
    others.extend(fours);
    others
}

impl EightFft {
    /// Plans a transform of any length of 1 or more. Prime factors above 3 take time that is quadratic in them.
    pub fn new(points: usize) -> Self {
        let radixes = radixes(points);
        let mut passes = Vec::with_capacity(radixes.len());
        let mut block = points;
        for radix in radixes {
            block /= radix;
            passes.push(Pass::new(radix, block));
        }
        let far = passes.iter().take_while(|pass| pass.radix * pass.part > NEAR_POINTS).count();
        let place = |bin: usize| {
            let (mut rest, mut place) = (bin, 0);
            for pass in &passes {
                place += rest % pass.radix * pass.part;
                rest /= pass.radix;
            }
            place as u32
        };
        Self { points, far, places: (0..points).map(place).collect(), passes }
    }

    /// Returns the number of points.
    pub fn points(&self) -> usize {
        self.points
    }

    /// Returns where the transform leaves a bin.
    #[inline(always)]
    pub fn place(&self, bin: usize) -> usize {
        self.places[bin] as usize
    }

    /// Transforms in place.
    // Loops, not `for_each`: a closure is not compiled for the instruction set of its caller.
    #[inline(always)]
    pub fn run<S: Singles>(&self, values: &mut [Point]) {
        let (far, near) = self.passes.split_at(self.far);
        for pass in far {
            for block in values.chunks_exact_mut(pass.radix * pass.part) {
                pass.run::<S>(block);
            }
        }
        let Some(first) = near.first() else { return };
        for block in values.chunks_exact_mut(first.radix * first.part) {
            for pass in near {
                for block in block.chunks_exact_mut(pass.radix * pass.part) {
                    pass.run::<S>(block);
                }
            }
        }
    }
}

#[inline(always)]
fn load<S: Singles>(point: &Point) -> [S; 2] {
    [S::load(&point[0]), S::load(&point[1])]
}

#[inline(always)]
fn store<S: Singles>([re, im]: [S; 2], to: &mut Point) {
    re.store(&mut to[0]);
    im.store(&mut to[1]);
}

#[inline(always)]
fn sum<S: Singles>([ar, ai]: [S; 2], [br, bi]: [S; 2]) -> [S; 2] {
    [ar.add(br), ai.add(bi)]
}

#[inline(always)]
fn difference<S: Singles>([ar, ai]: [S; 2], [br, bi]: [S; 2]) -> [S; 2] {
    [ar.sub(br), ai.sub(bi)]
}

#[inline(always)]
fn turned<S: Singles>([re, im]: [S; 2], [cos, sin]: [f32; 2]) -> [S; 2] {
    let (cos, sin) = (S::splat(cos), S::splat(sin));
    [re.mul(cos).sub(im.mul(sin)), re.mul(sin).add(im.mul(cos))]
}

impl Pass {
    #[inline(always)]
    fn run<S: Singles>(&self, block: &mut [Point]) {
        match self.radix {
            2 => self.by_two::<S>(block),
            3 => self.by_three::<S>(block),
            4 if self.part == 1 => last_four::<S>(block),
            4 => self.by_four::<S>(block),
            _ => self.by_any::<S>(block),
        }
    }

    #[inline(always)]
    fn by_two<S: Singles>(&self, block: &mut [Point]) {
        let (first, second) = block.split_at_mut(self.part);
        for ((a, b), &twiddle) in first.iter_mut().zip(second).zip(&self.twiddles) {
            let (x, y) = (load::<S>(a), load::<S>(b));
            store(sum(x, y), a);
            store(turned(difference(x, y), twiddle), b);
        }
    }

    #[inline(always)]
    fn by_three<S: Singles>(&self, block: &mut [Point]) {
        let (half, side) = (S::splat(0.5), S::splat(0.75_f32.sqrt()));
        let (first, rest) = block.split_at_mut(self.part);
        let (second, third) = rest.split_at_mut(self.part);
        let twiddles = self.twiddles.as_chunks::<2>().0;
        for (((a, b), c), twiddles) in first.iter_mut().zip(second).zip(third).zip(twiddles) {
            let (x, y, z) = (load::<S>(a), load::<S>(b), load::<S>(c));
            let (t, [dr, di]) = (sum(y, z), difference(y, z));
            let middle = [x[0].sub(half.mul(t[0])), x[1].sub(half.mul(t[1]))];
            // The difference times -i and the height of the triangle.
            let aside = [side.mul(di), S::splat(0.0).sub(side.mul(dr))];
            store(sum(x, t), a);
            store(turned(sum(middle, aside), twiddles[0]), b);
            store(turned(difference(middle, aside), twiddles[1]), c);
        }
    }

    #[inline(always)]
    fn by_four<S: Singles>(&self, block: &mut [Point]) {
        let (first, rest) = block.split_at_mut(self.part);
        let (second, rest) = rest.split_at_mut(self.part);
        let (third, fourth) = rest.split_at_mut(self.part);
        let twiddles = self.twiddles.as_chunks::<3>().0;
        for ((((a, b), c), d), twiddles) in first.iter_mut().zip(second).zip(third).zip(fourth).zip(twiddles) {
            let [w, x, y, z] = four([load::<S>(a), load(b), load(c), load(d)]);
            store(w, a);
            store(turned(x, twiddles[0]), b);
            store(turned(y, twiddles[1]), c);
            store(turned(z, twiddles[2]), d);
        }
    }

    #[inline(always)]
    fn by_any<S: Singles>(&self, block: &mut [Point]) {
        let (radix, part) = (self.radix, self.part);
        let mut taken = vec![[[0.0; LANES]; 2]; radix];
        for j in 0..part {
            for (r, to) in taken.iter_mut().enumerate() {
                *to = block[j + r * part];
            }
            for (q, roots) in self.roots.chunks_exact(radix).enumerate() {
                let zero = S::splat(0.0);
                let mut total = [zero, zero];
                for (value, &root) in taken.iter().zip(roots) {
                    total = sum(total, turned(load::<S>(value), root));
                }
                if q > 0 {
                    total = turned(total, self.twiddles[j * (radix - 1) + q - 1]);
                }
                store(total, &mut block[j + q * part]);
            }
        }
    }
}

/// The last pass, whose twiddles are 1.
#[inline(always)]
fn last_four<S: Singles>(block: &mut [Point]) {
    if let [a, b, c, d] = block {
        let [w, x, y, z] = four([load::<S>(a), load(b), load(c), load(d)]);
        store(w, a);
        store(x, b);
        store(y, c);
        store(z, d);
    }
}

/// A transform of four points.
#[inline(always)]
fn four<S: Singles>([a, b, c, d]: [[S; 2]; 4]) -> [[S; 2]; 4] {
    let (even, odd) = (sum(a, c), sum(b, d));
    let (across, [dr, di]) = (difference(a, c), difference(b, d));
    let [re, im] = across;
    [sum(even, odd), [re.add(di), im.sub(dr)], difference(even, odd), [re.sub(di), im.add(dr)]]
}
