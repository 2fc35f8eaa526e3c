//! Results as files and tables. Knows results, not how they came about.

pub mod component;
pub mod csv;
pub mod json;
pub mod model;
pub mod picture;
pub mod table;
