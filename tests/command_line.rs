//! The program as scripts see it: exit status, what goes to which stream, and what bad input is told.

use std::{
    path::PathBuf,
    process::{Command, Output},
};

/// A folder with files in it, gone when dropped.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Folder {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).expect("a file");
        }
        Folder(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_fuseline"))
            .args(arguments)
            .current_dir(self.0.path())
            .env_remove("NO_COLOR")
            .output()
            .expect("the program starts")
    }

    /// Standard error of a run that must be refused with status 1.
    fn refused(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        String::from_utf8(output.stderr)
            .expect("text")
            .trim_end()
            .to_owned()
    }
}

const DRAW: &str = "
[shader]
source = '''
struct VOut { float4 p : SV_Position; int i : I; };
VOut main(uint id : SV_VertexID) { VOut o; o.p = float4(id, 0.5, -1, 1); o.i = -(int)id; return o; }
'''
[[draw]]
call = \"Draw\"
topology = \"LINELIST\"
vertex_count = 2
";

fn with(change: &str, to: &str) -> String {
    assert!(DRAW.contains(change));
    DRAW.replace(change, to)
}

#[test]
fn a_wrong_command_line_is_status_2() {
    let folder = Folder::new(&[]);
    for arguments in [&["drow"][..], &["draw"], &["draw", "--engine", "gpu", "x"]] {
        assert_eq!(folder.run(arguments).status.code(), Some(2));
    }
    assert_eq!(folder.run(&["draw", "--help"]).status.code(), Some(0));
}

#[test]
fn results_as_json_have_the_promised_form() {
    let folder = Folder::new(&[("a.draw.toml", DRAW)]);
    let output = folder.run(&["draw", "a.draw.toml", "--engine", "both", "-o", "out.json"]);
    assert!(output.status.success(), "{output:?}");
    let text = std::fs::read_to_string(folder.path("out.json")).expect("the file is there");
    assert_eq!(
        text,
        "{\"draws\":[{\"rows\":2,\"outputs\":[{\"index\":0,\"semantic\":\"SV_Position\",\"type\":\"float4\",\
         \"values\":[[0.0,0.5,-1.0,1.0],[1.0,0.5,-1.0,1.0]]},{\"index\":0,\"semantic\":\"I\",\"type\":\"int\",\
         \"values\":[[0],[-1]]}],\"primitives\":{\"topology\":\"LINELIST\",\"corners\":2,\"view\":[0],\"instance\":[0],\
         \"id\":[0],\"rows\":[[0,1]]},\"statistics\":{\"IAPrimitives\":1,\"IAVertices\":2,\"VSInvocations\":2}}]}\n"
    );
}

#[test]
fn results_as_csv_have_a_line_per_row() {
    let folder = Folder::new(&[("a.draw.toml", DRAW)]);
    assert!(
        folder
            .run(&["draw", "a.draw.toml", "-o", "out.csv"])
            .status
            .success()
    );
    let text = std::fs::read_to_string(folder.path("out.csv")).expect("the file is there");
    assert_eq!(
        text,
        "draw,view,instance,vertex,SV_Position0.x,SV_Position0.y,SV_Position0.z,SV_Position0.w,I0.x\n\
         0,0,0,0,0.0,0.5,-1.0,1.0,0\n0,0,0,1,1.0,0.5,-1.0,1.0,-1\n"
    );
}

#[test]
fn lines_become_an_obj() {
    let folder = Folder::new(&[("a.draw.toml", DRAW)]);
    assert!(
        folder
            .run(&["draw", "a.draw.toml", "-o", "out.obj"])
            .status
            .success()
    );
    let text = std::fs::read_to_string(folder.path("out.obj")).expect("the file is there");
    assert_eq!(text, "o draw0\nv 0.0 0.5 -1.0\nv 1.0 0.5 -1.0\nl 1 2\n");
}

#[test]
fn bad_draw_files_are_told_by_line_and_leave_the_output_alone() {
    let cases: [(&str, String, &str); 12] = [
        (
            "toml",
            with("vertex_count = 2", "vertex_count = "),
            ":10:16: error: ",
        ),
        (
            "unknown key",
            with("vertex_count = 2", "vertex_count = 2\nbase_vertex = 1"),
            ":11:1: error: unknown key `base_vertex` in `draw`",
        ),
        (
            "wrong type",
            with("vertex_count = 2", "vertex_count = \"2\""),
            ":10:16: error: `vertex_count` must be an integer, not a string",
        ),
        (
            "range",
            with("vertex_count = 2", "vertex_count = -1"),
            ":10:16: error: `vertex_count` is out of range: -1",
        ),
        (
            "missing",
            with("vertex_count = 2", ""),
            ":7:1: error: `vertex_count` is missing here",
        ),
        (
            "word",
            with("\"Draw\"", "\"Drow\""),
            ":8:8: error: `call` cannot be \"Drow\"; it is one of \"Draw\", \"DrawIndexed\",",
        ),
        (
            "topology",
            with("LINELIST", "LINES"),
            ":7:1: error: \"LINES\" is no primitive topology; write TRIANGLELIST or the like",
        ),
        (
            "no draw",
            DRAW.split("[[draw]]").next().unwrap_or_default().to_owned(),
            "error: the file has no [[draw]]",
        ),
        (
            "no shader",
            "[[draw]]\ncall = \"Draw\"\n".to_owned(),
            "error: the file has no [shader]",
        ),
        (
            "later",
            format!("{DRAW}[stream_output]\nstrides = [16]\n"),
            ":11:2: error: `stream_output` is not supported yet",
        ),
        (
            "data",
            format!("{DRAW}[[vertex_buffer]]\nstride = 4\ndata = {{ file = \"gone.bin\" }}\n"),
            ":13:17: error: cannot read gone.bin: ",
        ),
        (
            "constants",
            format!("{DRAW}[[constant_buffer]]\nname = \"Nowhere\"\nvalues = {{ a = 1 }}\n"),
            "error: the shader has no constant buffer named `Nowhere`",
        ),
    ];
    for (what, text, wanted) in cases {
        let folder = Folder::new(&[("a.draw.toml", &text), ("out.json", "before")]);
        let told = folder.refused(&["draw", "a.draw.toml", "-o", "out.json"]);
        assert!(told.contains(wanted), "{what}: {told}");
        assert_eq!(
            std::fs::read_to_string(folder.path("out.json")).expect("still there"),
            "before",
            "{what}"
        );
    }
}

#[test]
fn shader_errors_are_told_in_the_draw_files_shader() {
    let folder = Folder::new(&[("a.draw.toml", &with("float4(id", "float4(idd"))]);
    let told = folder.refused(&["draw", "a.draw.toml"]);
    assert!(told.contains("a.draw.toml[shader]:2:"), "{told}");
    assert!(told.contains("idd"), "{told}");
}

#[test]
fn an_output_of_an_unknown_kind_is_refused_before_anything_runs() {
    let folder = Folder::new(&[("a.draw.toml", DRAW)]);
    assert_eq!(
        folder.refused(&["draw", "a.draw.toml", "-o", "out.xyz"]),
        "error: cannot tell what to write to out.xyz: name a .json, .csv, .obj or .png file"
    );
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let folder = Folder::new(&[]);
    let told = folder.refused(&["draw", "gone.draw.toml"]);
    assert!(
        told.starts_with("gone.draw.toml: error: cannot read the file: "),
        "{told}"
    );
    assert!(
        folder
            .refused(&["check", "gone.hlsl"])
            .starts_with("error: cannot read gone.hlsl: ")
    );
}

#[test]
fn tests_end_with_a_count_and_none_found_is_a_failure() {
    let expect = "[[expect]]\noutput = \"I\"\nrows = [[0], [-1]]\n";
    let wrong = "[[expect]]\noutput = \"I\"\nrows = [[0], [1]]\n";
    let folder = Folder::new(&[
        ("good.draw.toml", &format!("{DRAW}{expect}")),
        ("wrong.draw.toml", &format!("{DRAW}{wrong}")),
        ("plain.draw.toml", DRAW),
    ]);
    let output = folder.run(&["test", "."]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(
        text,
        "FAILED ./wrong.draw.toml: draw 0: I: 1 of 2 rows differ\n  row 1: expected [1], got [-1]\n1 passed, 1 failed\n"
    );
    assert!(folder.run(&["test", "good.draw.toml"]).status.success());
    assert_eq!(
        folder.run(&["test", "plain.draw.toml"]).status.code(),
        Some(1)
    );
}

#[test]
fn a_picture_is_a_png() {
    let folder = Folder::new(&[("a.draw.toml", DRAW)]);
    assert!(
        folder
            .run(&["draw", "a.draw.toml", "-o", "out.png"])
            .status
            .success()
    );
    let bytes = std::fs::read(folder.path("out.png")).expect("the file is there");
    assert_eq!(bytes.get(..8), Some(&b"\x89PNG\r\n\x1a\n"[..]));
}

#[test]
fn check_has_forms_for_programs() {
    let shader = "float4 main(float4 p : POSITION) : SV_Position { return q; }\n";
    let folder = Folder::new(&[("a.hlsl", shader)]);
    let output = folder.run(&["check", "a.hlsl", "--format", "msvc"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(
        text.starts_with("a.hlsl(1,57): error F0201: `q` is not declared"),
        "{text}"
    );
}

const SHADER: &str = "float4 main(float3 p : POSITION) : SV_Position { return float4(p, 1); }";

#[test]
fn every_form_of_a_shader_can_be_looked_at() {
    let folder = Folder::new(&[("s.hlsl", SHADER)]);
    let compile = |emit: &str| {
        let arguments = [
            "compile", "s.hlsl", "-E", "main", "-T", "vs_5_0", "--emit", emit,
        ];
        let output = folder.run(&arguments);
        assert!(output.status.success(), "{output:?}");
        output.stdout
    };
    let forms = [
        ("ast", "function float4 main"),
        ("hir", "POSITION"),
        ("kir", "read word 0+0"),
        ("lir", "group:"),
        ("clif", "function"),
        ("asm", "ret"),
        ("reflection", "\"SV_Position\""),
    ];
    for (emit, word) in forms {
        let text = String::from_utf8(compile(emit)).expect("text");
        assert!(text.contains(word), "{emit} without {word}:\n{text}");
    }
    assert!(compile("obj").starts_with(b"\x7fELF") || cfg!(not(target_os = "linux")));
}

#[test]
fn several_forms_go_to_files_of_their_own() {
    let folder = Folder::new(&[("s.hlsl", SHADER)]);
    let mut arguments = vec!["compile", "s.hlsl", "-E", "main", "-T", "vs_5_0"];
    arguments.extend(["--emit", "kir,obj"]);
    assert_eq!(
        folder.refused(&arguments),
        "error: an object file is no text: name a file for it with -o"
    );
    arguments.extend(["-o", "out"]);
    assert!(folder.run(&arguments).status.success());
    assert!(folder.path("out.kir").exists() && folder.path("out.obj").exists());
}

/// A draw with something odd in every table.
const ODD: &str = "
[shader]
source = '''
struct Light { float4 at; float k[3]; };
cbuffer C : register(b1) { Light lights[4]; };
float4 main(float4 p : POSITION, float4 q : COLOR) : SV_Position { return p + q + lights[1].at; }
'''
[[layout]]
semantic = \"POSITION\"
format = \"R32G32B32A32_UINT\"
[[layout]]
semantic = \"COLOR\"
slot = 3
format = \"R32G32B32A32_FLOAT\"
[[vertex_buffer]]
slot = 0
stride = 18
data = { zero = 64 }
[[constant_buffer]]
register = \"b1\"
values = { lights = [{ at = [0, 0, 0, 1], k = [1, 2] }] }
[[constant_buffer]]
register = \"b7\"
data = { zero = 16 }
[[draw]]
call = \"Draw\"
topology = \"POINTLIST\"
vertex_count = 3
[[draw]]
call = \"Draw\"
topology = \"POINTLIST\"
vertex_count = 4
[[expect]]
output = \"SV_Position\"
rows = [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
";

const ODDITIES: &str = "warning: TYPE_MISMATCH: the shader reads POSITION0 as float, but element 0 has the format R32G32B32A32_UINT; the bits are not converted, so use a FLOAT, UNORM or SNORM format, or read it as int or uint
odd.draw.toml:19:1: warning: `lights` has 4 elements, 1 are given: the rest is zero
odd.draw.toml:19:1: warning: `lights[0].k` has 3 elements, 2 are given: the rest is zero
odd.draw.toml:22:1: warning: constant buffer b7 is given, but the shader declares none there: nothing reads it
warning: draws 0, 1: DEVICE_DRAW_VERTEX_STRIDE_UNALIGNED: slot 0: stride 18 does not keep POSITION0 aligned to 4 bytes (FS 4.4.6: undefined); the bytes are read as they are
warning: draws 0, 1: DEVICE_DRAW_VERTEX_BUFFER_NOT_SET: slot 3: nothing is bound, COLOR0 reads zero in all components
warning: draw 1: DEVICE_DRAW_VERTEX_BUFFER_TOO_SMALL: slot 0: POSITION0 of vertex 3 ends at byte 70 of a buffer of 64 bytes: out of bounds reads give 0
";

#[test]
fn draw_and_check_tell_what_the_debug_layer_would() {
    let folder = Folder::new(&[("odd.draw.toml", ODD)]);
    for command in ["draw", "check"] {
        let output = folder.run(&[command, "odd.draw.toml"]);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), ODDITIES);
        let output = folder.run(&[command, "-q", "odd.draw.toml"]);
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
}

#[test]
fn test_tells_warnings_of_what_fails_and_on_request() {
    let wrong = ODD.replace("rows = [[0,", "rows = [[1,");
    let folder = Folder::new(&[("good.draw.toml", ODD), ("wrong.draw.toml", &wrong)]);
    let told = |arguments: &[&str]| {
        let output = folder.run(arguments);
        let text = String::from_utf8(output.stderr).expect("text");
        (
            text.matches("good.draw.toml: warning: draw").count(),
            text.matches("wrong.draw.toml: warning: draw").count(),
        )
    };
    assert_eq!(told(&["test", "."]), (0, 3));
    assert_eq!(told(&["test", "-v", "."]), (3, 3));
    assert_eq!(told(&["test", "-q", "."]), (0, 0));
}

#[test]
fn check_tells_every_reason_to_refuse_a_draw_without_running_it() {
    let draws = ODD
        .replace("b7", "b99")
        .replace("stride = 18", "stride = 2052")
        .replace("vertex_count = 4", "vertex_count = 0xFFFFFFFF");
    let folder = Folder::new(&[("odd.draw.toml", &draws)]);
    let output = folder.run(&["check", "-q", "odd.draw.toml"]);
    assert_eq!(output.status.code(), Some(1));
    let each = |draw| {
        format!(
            "error: draw {draw}: vertex buffer slot 0: stride 2052 is too large, at most 2048 bytes are possible (D3D11_REQ_MULTI_ELEMENT_STRUCTURE_SIZE_IN_BYTES)\n\
             error: draw {draw}: constant buffer b99 is past the last one, b13 (D3D11_COMMONSHADER_CONSTANT_BUFFER_API_SLOT_COUNT)\n"
        )
    };
    assert_eq!(String::from_utf8_lossy(&output.stderr), each(0) + &each(1));
}

#[test]
fn a_draw_that_is_too_large_is_told_by_the_call_that_is_written() {
    let huge = with("vertex_count = 2", "vertex_count = 4294967295");
    let folder = Folder::new(&[("huge.draw.toml", &huge)]);
    let told = folder.refused(&["draw", "huge.draw.toml"]);
    assert!(told.contains("Draw: 4294967295 rows"), "{told}");
}
