//! What the preprocessor complains about.
