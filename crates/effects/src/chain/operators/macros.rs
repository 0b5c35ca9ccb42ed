//! The forms of the generated lists of operators.

/// Defines a constructor for each effect, which takes its required arguments.
macro_rules! constructors {
    ($($(#[$about:meta])* $name:ident($($argument:ident: $kind:ty),*);)*) => {
        $(
            $(#[$about])*
            pub fn $name($($argument: $kind),*) -> ChainBuilder {
                super::effect(stringify!($name))$(.with(stringify!($argument), $argument))*
            }
        )*
    };
}

/// Defines a method of [`super::ChainBuilder`] for each parameter, by its name in the notation.
macro_rules! parameters {
    ($($method:ident $name:literal)*) => {
        impl ChainBuilder {
            $(
                #[doc = concat!("Sets the argument `", $name, "` of an effect.")]
                pub fn $method(self, value: impl Into<Value>) -> Self {
                    self.with($name, value)
                }
            )*
        }
    };
}

pub(super) use {constructors, parameters};
