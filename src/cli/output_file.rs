//! Writing an output file: whole, or not at all.

use super::Refused;
use std::{
    io::{self, BufWriter, Write},
    path::Path,
};

/// Writes a file through `write`; where that fails, whatever was at `path` stays as it was.
pub fn write(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<io::Result<()>, Refused>,
) -> Result<(), Refused> {
    // Only the kind: the rest would name the file that is written first.
    let refuse = |e: io::Error| {
        Refused(format!(
            "error: cannot write {}: {}",
            path.display(),
            e.kind()
        ))
    };
    // Devices and pipes cannot be replaced; they are written to as they are.
    if path.exists() && !path.is_file() {
        let mut out = BufWriter::new(std::fs::File::create(path).map_err(refuse)?);
        write(&mut out)?.map_err(refuse)?;
        return out.flush().map_err(refuse);
    }
    let folder = path
        .parent()
        .filter(|p| !p.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder
        .prefix(".fuseline")
        .tempfile_in(folder)
        .map_err(refuse)?;
    let mut out = BufWriter::with_capacity(1 << 20, &mut file);
    write(&mut out)?.map_err(refuse)?;
    out.flush().map_err(refuse)?;
    drop(out);
    file.persist(path).map_err(|e| refuse(e.error))?;
    Ok(())
}
