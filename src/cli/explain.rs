//! `fuseline explain`: what a diagnostic's code means.

use super::{Refused, report};
use clap::Args;
use fuseline_hlsl::diagnostic::Code;

/// Explains a diagnostic's code.
#[derive(Args, Debug)]
#[command(after_help = "Example: fuseline explain F0203")]
pub struct Explain {
    /// The code, as it stands in the diagnostic
    code: String,
}

impl Explain {
    /// Prints the explanation.
    pub fn run(self) -> Result<bool, Refused> {
        let code = Code::from_number(&self.code.to_ascii_uppercase()).ok_or_else(|| {
            Refused(format!(
                "error: there is no diagnostic {}; codes look like F0203",
                self.code
            ))
        })?;
        report::say(format_args!(
            "{}: {}\n\n{}",
            code.number(),
            code.title(),
            code.explanation()
        ))?;
        Ok(true)
    }
}
