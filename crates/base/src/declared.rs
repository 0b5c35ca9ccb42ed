//! The derive that declares types to TypeScript. It does nothing without the feature `bindings`, since the output of
//! `ts_rs` is a tenth of the code.

#[cfg(not(feature = "bindings"))]
pub use ts_off::TS;
#[cfg(feature = "bindings")]
pub use ts_rs::{Config, TS, TypeVisitor};

/// Declares a type to TypeScript as the type that it is stored as. TypeScript would take each of two handles for the
/// other, so a name for a number says no more than the name of the field.
#[macro_export]
macro_rules! declared_as {
    ($declared:ty, $stored:ty) => {
        #[cfg(feature = "bindings")]
        impl $crate::declared::TS for $declared {
            type WithoutGenerics = Self;
            type OptionInnerType = Self;

            fn name(config: &$crate::declared::Config) -> String {
                <$stored as $crate::declared::TS>::name(config)
            }

            fn inline(config: &$crate::declared::Config) -> String {
                <$stored as $crate::declared::TS>::inline(config)
            }

            fn visit_dependencies(visitor: &mut impl $crate::declared::TypeVisitor) {
                visitor.visit::<$stored>();
            }
        }
    };
}
