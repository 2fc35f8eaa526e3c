//! `#include` from the file system.

use fuseline_hlsl::preprocess::{IncludeError, IncludeFile, IncludeHandler};
use std::path::{Path, PathBuf};

/// Looks in the folder of the including file, then in the shader's own, then in the given ones.
#[derive(Clone, Debug)]
pub struct Folders {
    /// Folder of the shader.
    pub shader: PathBuf,
    /// `-I` and `include_dirs`.
    pub include_dirs: Vec<PathBuf>,
}

impl IncludeHandler for Folders {
    fn read(
        &mut self,
        includer: Option<&str>,
        path: &str,
        system: bool,
    ) -> Result<IncludeFile, IncludeError> {
        let beside = includer
            .map(Path::new)
            .filter(|p| p.is_file())
            .and_then(Path::parent);
        let own = [beside.unwrap_or(&self.shader), &self.shader];
        let own = own.into_iter().filter(|_| !system);
        let mut searched = Vec::new();
        for folder in own.chain(self.include_dirs.iter().map(PathBuf::as_path)) {
            let candidate = folder.join(path);
            if candidate.is_file() {
                let bytes = std::fs::read(&candidate).map_err(|e| {
                    IncludeError::Unreadable(format!("{}: {e}", candidate.display()))
                })?;
                return Ok(IncludeFile {
                    name: name(&candidate),
                    bytes,
                });
            }
            let candidate = candidate.display().to_string();
            if !searched.contains(&candidate) {
                searched.push(candidate);
            }
        }
        Err(IncludeError::NotFound { searched })
    }
}

/// One name for a file, whatever path led to it: without `a/../` and `./`.
fn name(path: &Path) -> String {
    let mut parts: Vec<std::path::Component<'_>> = Vec::new();
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir
                if matches!(parts.last(), Some(std::path::Component::Normal(_))) =>
            {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.iter().collect::<PathBuf>().display().to_string()
}
