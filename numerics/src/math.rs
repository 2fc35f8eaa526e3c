//! The math functions that HLSL has beyond the primitive operations.

macro_rules! math_fns {
    ($( $(#[$doc:meta])* $name:ident $text:literal $arity:literal; )*) => {
        /// A math function: floats in, one float out, component by component.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum MathFn { $( $(#[$doc])* $name, )* }

        impl MathFn {
            /// Every function.
            pub const ALL: &'static [MathFn] = &[$(MathFn::$name),*];

            /// Its HLSL name.
            pub const fn text(self) -> &'static str { match self { $(MathFn::$name => $text,)* } }

            /// Number of arguments.
            pub const fn arity(self) -> usize { match self { $(MathFn::$name => $arity,)* } }
        }
    };
}

math_fns! {
    /// e to the x.
    Exp "exp" 1;
    /// 2 to the x.
    Exp2 "exp2" 1;
    /// Natural logarithm.
    Log "log" 1;
    /// Logarithm to base 2.
    Log2 "log2" 1;
    /// Logarithm to base 10.
    Log10 "log10" 1;
    /// `exp2(y * log2(x))`.
    Pow "pow" 2;
    /// Sine of radians.
    Sin "sin" 1;
    /// Cosine of radians.
    Cos "cos" 1;
    /// Tangent of radians.
    Tan "tan" 1;
    /// Arc sine.
    Asin "asin" 1;
    /// Arc cosine.
    Acos "acos" 1;
    /// Arc tangent.
    Atan "atan" 1;
    /// Arc tangent of y / x: arguments y, x.
    Atan2 "atan2" 2;
    /// Hyperbolic sine.
    Sinh "sinh" 1;
    /// Hyperbolic cosine.
    Cosh "cosh" 1;
    /// Hyperbolic tangent.
    Tanh "tanh" 1;
}
