//! `derive(TS)` where nothing is declared to TypeScript, that is, outside of the core's unit tests. There it is that of
//! `ts_rs`, whose code would be a tenth of the core.

use proc_macro::TokenStream;

/// Derives nothing. Attributes named `ts` are allowed.
#[proc_macro_derive(TS, attributes(ts))]
pub fn ts(_item: TokenStream) -> TokenStream {
    TokenStream::new()
}
