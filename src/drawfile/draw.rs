//! `[[draw]]`: a draw call with its arguments, each key only where the call has it.

use super::{
    data, needed,
    reader::{FileError, Table},
};
use std::path::Path;

/// A draw call.
#[derive(Debug)]
pub struct Draw {
    /// Which call, with its arguments.
    pub call: Call,
    /// D3D_PRIMITIVE_TOPOLOGY without the prefix, as written.
    pub topology: String,
    /// `strip_cut`.
    pub strip_cut: StripCut,
    /// SetViewInstanceMask's value.
    pub view_mask: u32,
    /// Where it stands, for refusals that the file's reader cannot know of.
    pub place: FileError,
}

/// Draw calls by name.
#[derive(Debug)]
pub enum Call {
    /// Draw, DrawInstanced.
    Vertices {
        /// Which of the two.
        instanced: bool,
        /// VertexCount, per instance.
        vertex_count: u32,
        /// InstanceCount.
        instance_count: u32,
        /// StartVertexLocation.
        start_vertex: u32,
        /// StartInstanceLocation.
        start_instance: u32,
    },
    /// DrawIndexed, DrawIndexedInstanced.
    Indexed {
        /// Which of the two.
        instanced: bool,
        /// IndexCount, per instance.
        index_count: u32,
        /// InstanceCount.
        instance_count: u32,
        /// StartIndexLocation.
        start_index: u32,
        /// BaseVertexLocation.
        base_vertex: i32,
        /// StartInstanceLocation.
        start_instance: u32,
    },
    /// DrawAuto.
    Auto,
    /// DrawInstancedIndirect, DrawIndexedInstancedIndirect.
    Indirect {
        /// Which of the two.
        indexed: bool,
        /// The argument buffer.
        args: Vec<u8>,
        /// Byte of the first argument.
        offset: u32,
    },
}

/// Where strips are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StripCut {
    /// At the all-ones value of the index format.
    Default,
    /// Never.
    Off,
    /// D3D12's 0xFFFF.
    Value16,
    /// D3D12's 0xFFFFFFFF.
    Value32,
    /// Lists, too (FS 8.12 to the letter).
    ListsToo,
}

#[derive(Clone, Copy, PartialEq)]
enum Name {
    Draw,
    Indexed,
    Instanced,
    IndexedInstanced,
    Auto,
    InstancedIndirect,
    IndexedInstancedIndirect,
}

impl Draw {
    pub(super) fn read(table: Table<'_>, folder: &Path) -> Result<Draw, FileError> {
        let names = [
            ("Draw", Name::Draw),
            ("DrawIndexed", Name::Indexed),
            ("DrawInstanced", Name::Instanced),
            ("DrawIndexedInstanced", Name::IndexedInstanced),
            ("DrawAuto", Name::Auto),
            ("DrawInstancedIndirect", Name::InstancedIndirect),
            (
                "DrawIndexedInstancedIndirect",
                Name::IndexedInstancedIndirect,
            ),
        ];
        let name = needed(&table, "call", table.choice("call", &names)?)?;
        let draw = Draw {
            call: Call::read(&table, name, folder)?,
            topology: needed(&table, "topology", table.string("topology")?)?,
            strip_cut: strip_cut(&table)?,
            view_mask: table.integer("view_mask")?.unwrap_or(0),
            place: table.error(""),
        };
        table.finish()?;
        Ok(draw)
    }
}

impl Call {
    /// Asks only for the keys that the call has, so that [`Table::finish`] refuses the others.
    fn read(table: &Table<'_>, name: Name, folder: &Path) -> Result<Call, FileError> {
        let instanced = matches!(name, Name::Instanced | Name::IndexedInstanced);
        let number = |key| Ok::<u32, FileError>(table.integer(key)?.unwrap_or(0));
        let instance_count = if instanced {
            table.integer("instance_count")?.unwrap_or(1)
        } else {
            1
        };
        let start_instance = if instanced {
            number("start_instance")?
        } else {
            0
        };
        match name {
            Name::Draw | Name::Instanced => Ok(Call::Vertices {
                instanced,
                vertex_count: needed(table, "vertex_count", table.integer("vertex_count")?)?,
                instance_count,
                start_vertex: number("start_vertex")?,
                start_instance,
            }),
            Name::Indexed | Name::IndexedInstanced => Ok(Call::Indexed {
                instanced,
                index_count: needed(table, "index_count", table.integer("index_count")?)?,
                instance_count,
                start_index: number("start_index")?,
                base_vertex: table.integer("base_vertex")?.unwrap_or(0),
                start_instance,
            }),
            Name::Auto => Ok(Call::Auto),
            Name::InstancedIndirect | Name::IndexedInstancedIndirect => Ok(Call::Indirect {
                indexed: name == Name::IndexedInstancedIndirect,
                args: data::bytes(&needed(table, "args", table.entry("args")?)?, folder)?,
                offset: number("args_offset")?,
            }),
        }
    }
}

fn strip_cut(table: &Table<'_>) -> Result<StripCut, FileError> {
    match table.entry("strip_cut")? {
        None => Ok(StripCut::Default),
        Some(entry) => match entry.as_boolean() {
            Some(true) => Ok(StripCut::Default),
            Some(false) => Ok(StripCut::Off),
            None => {
                let words = [
                    ("0xFFFF", StripCut::Value16),
                    ("0xFFFFFFFF", StripCut::Value32),
                    ("lists_too", StripCut::ListsToo),
                ];
                entry.choice(&words)
            }
        },
    }
}
