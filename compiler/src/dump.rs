//! Code between the steps of compiling, as files: for people who look for what a pass did.

use crate::passes::Observer;
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// Name of the environment variable that says in which folder.
pub const VARIABLE: &str = "FUSELINE_DUMP";

/// Writes `kernel-N/NN-pass.txt` for the Nth kernel of the process.
#[derive(Debug)]
pub struct Dump {
    folder: PathBuf,
    next: u32,
}

impl Dump {
    /// One for the next kernel, if the environment asks for it.
    pub fn from_environment() -> Option<Dump> {
        let folder = std::env::var_os(VARIABLE).filter(|f| !f.is_empty())?;
        Some(Dump::into_folder(folder.into()))
    }

    /// One for the next kernel, below `folder`.
    pub fn into_folder(folder: PathBuf) -> Dump {
        static KERNELS: AtomicU32 = AtomicU32::new(0);
        let number = KERNELS.fetch_add(1, Ordering::Relaxed);
        Dump {
            folder: folder.join(format!("kernel-{number}")),
            next: 0,
        }
    }
}

impl Observer for Dump {
    fn after(&mut self, pass: &str, code: &dyn Display) {
        let file = self.folder.join(format!("{:02}-{pass}.txt", self.next));
        self.next += 1;
        let written = std::fs::create_dir_all(&self.folder)
            .and_then(|()| std::fs::write(&file, code.to_string()));
        // Compiling goes on: whoever asked for the files will miss them.
        if let Err(e) = written {
            eprintln!("{VARIABLE}: {}: {e}", file.display());
        }
    }
}

impl Observer for Option<Dump> {
    fn after(&mut self, pass: &str, code: &dyn Display) {
        if let Some(dump) = self {
            dump.after(pass, code);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_numbered_in_order() {
        let folder = std::env::temp_dir().join(format!("fuseline-dump-{}", std::process::id()));
        let mut dump = Dump::into_folder(folder.clone());
        dump.after("lower", &"one");
        dump.after("dead", &"two");
        let second = std::fs::read_to_string(dump.folder.join("01-dead.txt")).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(second, "two");
    }
}
