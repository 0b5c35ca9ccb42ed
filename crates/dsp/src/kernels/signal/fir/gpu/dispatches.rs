//! The dispatches for a chunk: the direct sum, transforms within a workgroup, or transforms through device memory.

use super::GpuFir;
use super::grid::Grid;
use crate::gpu::shaders::{fir as short, fir_direct as direct, fir_long as long};
use crate::gpu::{Recording, Signal, View};

/// The buffers on the device for a chunk. `held` is the number of carried frames per channel.
pub(super) struct Views {
    pub carried: View,
    pub chunk: Signal,
    pub routes: View,
    pub responses: View,
    pub output: Signal,
    pub held: usize,
}

/// Returns the number of taps that the direct sum computes: a multiple of four, of which the last are zero.
pub(super) fn padded(taps: usize) -> usize {
    taps.next_multiple_of(4)
}

impl GpuFir {
    pub(super) fn direct(&self, recording: &mut Recording<'_>, views: &Views, taps: usize) {
        let Views { carried, chunk, routes, responses, output, held } = *views;
        let params = direct::Params {
            first_group: 0,
            held: held as u32,
            frames: chunk.frames as u32,
            stride: chunk.stride as u32,
            taps: padded(taps) as u32,
            routes: self.layout.routes_each as u32,
        };
        let groups = [chunk.frames.div_ceil(direct::FRAMES_PER_GROUP as usize) as u32, self.layout.channels as u32, 1];
        let kernel =
            direct::ConvolveDirect { carried, chunk: chunk.view, routes, reversed: responses, output: output.view };
        let work = self.layout.channels * chunk.frames * self.layout.routes_each * taps;
        recording.dispatch(kernel.dispatch(&params, groups, work as u64));
    }

    pub(super) fn short(
        &self,
        recording: &mut Recording<'_>,
        views: &Views,
        grid: &Grid,
        [phase, units]: [usize; 2],
        [tables, ready]: [View; 2],
    ) {
        let Views { carried, chunk, routes, responses, output, held } = *views;
        let params = short::Params {
            first_group: 0,
            points: grid.points as u32,
            held: held as u32,
            frames: chunk.frames as u32,
            stride: chunk.stride as u32,
            lead: grid.lead as u32,
            unit: grid.unit as u32,
            phase: phase as u32,
            units: units as u32,
            step: grid.step as u32,
            stretches: grid.stretches as u32,
            routes: self.layout.routes_each as u32,
        };
        let kernel =
            short::Convolve { carried, chunk: chunk.view, tables, routes, responses, output: output.view, ready };
        let transforms = units * grid.stretches;
        let work = transforms * self.layout.channels * (self.layout.routes_each + 1);
        recording.dispatch(kernel.dispatch(&params, [transforms as u32, self.layout.channels as u32, 1], work as u64));
    }

    pub(super) fn long(
        &self,
        recording: &mut Recording<'_>,
        views: &Views,
        grid: &Grid,
        [phase, units]: [usize; 2],
        [tables, ready]: [View; 2],
    ) {
        let Views { carried, chunk, routes, responses, output, held } = *views;
        let [first, second] = grid.steps();
        let stretches = units * grid.stretches;
        let transforms = stretches + grid.parts - 1;
        let room = |recording: &mut Recording<'_>, count: usize| {
            recording.buffer((self.layout.channels * count * grid.points * 8) as u64)
        };
        let (spectra, half_back) = (room(recording, transforms), room(recording, stretches));
        // The parameters and workgroups of a step over `count` transforms.
        let step = |count: usize, [points, other]: [usize; 2]| {
            let groups_each = other / (long::POINTS as usize / points);
            let params = long::Params {
                first_group: 0,
                points: grid.points as u32,
                first: first as u32,
                second: second as u32,
                step_points: points as u32,
                groups_each: groups_each as u32,
                held: held as u32,
                frames: chunk.frames as u32,
                stride: chunk.stride as u32,
                lead: grid.lead as u32,
                unit: grid.unit as u32,
                phase: phase as u32,
                units: units as u32,
                step: grid.step as u32,
                stretches: grid.stretches as u32,
                routes: self.layout.routes_each as u32,
                parts: grid.parts as u32,
            };
            (params, [(count * groups_each) as u32, self.layout.channels as u32, 1])
        };
        let work = |count: usize| (count * grid.points * self.layout.channels) as u64;
        let (params, groups) = step(transforms, [first, second]);
        let kernel = long::ColumnsFirst { carried, chunk: chunk.view, tables, spectra };
        recording.dispatch(kernel.dispatch(&params, groups, work(transforms)));
        let (params, groups) = step(transforms, [second, first]);
        recording.dispatch(long::RowsSecond { tables, spectra }.dispatch(&params, groups, work(transforms)));
        let (params, groups) = step(stretches, [second, first]);
        let kernel = long::RowsBack { tables, routes, responses, spectra, half_back };
        let products = work(stretches) * (self.layout.routes_each * grid.parts + 8) as u64;
        recording.dispatch(kernel.dispatch(&params, groups, products));
        let (params, groups) = step(stretches, [first, second]);
        let kernel = long::ColumnsBack { tables, output: output.view, ready, half_back };
        recording.dispatch(kernel.dispatch(&params, groups, work(stretches)));
    }
}
