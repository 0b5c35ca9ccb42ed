//! Tests of the effects by family.

mod all;
mod codec;
mod dynamics;
mod filters;
mod fir;
mod image;
mod level;
mod modulation;
mod restore;
mod space;
mod stretch;
mod tone;
