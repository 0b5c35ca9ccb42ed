use transforms::FftPlanner;
use transforms::num_complex::{Complex32, Complex64};

use super::complex::EightFft;
use super::{EightReal, Point};
use base::simd::{LANES, Lanes, Simd, Task};

struct Transform<'a> {
    plan: &'a EightFft,
    values: &'a mut [Point],
}

impl Task for Transform<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        self.plan.run::<L::Singles>(self.values);
    }
}

struct Bins<'a> {
    plan: &'a EightReal,
    rows: [&'a [f32]; LANES],
    to: &'a mut [Point],
}

impl Task for Bins<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        use base::simd::Singles as _;
        let Self { plan, rows, to } = self;
        let mut pairs = vec![[[0.0; LANES]; 2]; plan.points()];
        EightReal::take::<L::Singles>(rows, &mut pairs);
        plan.run::<L::Singles>(&mut pairs);
        for (k, to) in to.iter_mut().enumerate() {
            let [re, im] = plan.bin::<L::Singles>(&pairs, k);
            re.store(&mut to[0]);
            im.store(&mut to[1]);
        }
    }
}

fn noise(seed: usize, count: usize) -> Vec<f32> {
    (0..count).map(|n| ((n * n * 7 + n * 3 + seed * 131) % 1009) as f32 / 500.0 - 1.0).collect()
}

fn reference(values: impl Iterator<Item = Complex64>) -> Vec<Complex64> {
    let mut points: Vec<Complex64> = values.collect();
    FftPlanner::new().plan_fft_forward(points.len()).process(&mut points);
    points
}

fn widened(x: Complex32) -> Complex64 {
    Complex64::new(f64::from(x.re), f64::from(x.im))
}

/// Returns the error's energy relative to the signal's.
fn error(got: &[Complex64], expected: &[Complex64]) -> f64 {
    let energy: f64 = expected.iter().map(Complex64::norm_sqr).sum();
    got.iter().zip(expected).map(|(x, y)| (x - y).norm_sqr()).sum::<f64>() / energy
}

#[test]
fn each_lane_is_a_transform_of_its_own_on_every_instruction_set_to_the_same_bits() {
    for points in [1, 2, 3, 4, 5, 6, 8, 12, 16, 35, 64, 96, 256, 384, 512, 768, 1024, 1155, 4096] {
        let plan = EightFft::new(points);
        let (re, im): (Vec<_>, Vec<_>) = (0..LANES).map(|lane| (noise(lane, points), noise(lane + 90, points))).unzip();
        let start: Vec<Point> = (0..points)
            .map(|n| [std::array::from_fn(|lane| re[lane][n]), std::array::from_fn(|lane| im[lane][n])])
            .collect();
        let run = |simd: Simd| {
            let mut values = start.clone();
            simd.dispatch(Transform { plan: &plan, values: &mut values });
            values
        };
        let portable = run(Simd::Portable);
        for lane in 0..LANES {
            let expected = reference((0..points).map(|n| widened(Complex32::new(re[lane][n], im[lane][n]))));
            let point = |k: usize| portable[plan.place(k)];
            let got: Vec<_> =
                (0..points).map(|k| widened(Complex32::new(point(k)[0][lane], point(k)[1][lane]))).collect();
            assert!(error(&got, &expected) < 1e-13, "{points} points: {}", error(&got, &expected));
            assert!(points < 3 || error(&got[1..], &expected[..points - 1]) > 0.1, "a shifted spectrum passes");
        }
        for simd in Simd::available() {
            assert_eq!(run(simd), portable, "{simd:?}, {points} points");
        }
    }
}

#[test]
fn real_windows_are_their_spectra() {
    for length in [2, 4, 6, 10, 16, 30, 512, 1536, 2048] {
        let plan = EightReal::new(length);
        let rows: Vec<Vec<f32>> = (0..LANES).map(|lane| noise(lane, length)).collect();
        let run = |simd: Simd| {
            let mut to = vec![[[f32::NAN; LANES]; 2]; length / 2 + 1];
            simd.dispatch(Bins { plan: &plan, rows: std::array::from_fn(|lane| &*rows[lane]), to: &mut to });
            to
        };
        let portable = run(Simd::Portable);
        for (lane, row) in rows.iter().enumerate() {
            let expected = reference(row.iter().map(|&x| Complex64::new(f64::from(x), 0.0)));
            let got: Vec<_> = portable.iter().map(|x| widened(Complex32::new(x[0][lane], x[1][lane]))).collect();
            assert!(error(&got, &expected[..=length / 2]) < 1e-13, "{length} frames");
        }
        for simd in Simd::available() {
            assert_eq!(run(simd), portable, "{simd:?}, {length} frames");
        }
    }
}
