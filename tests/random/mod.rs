//! What the tests with random shaders share: hard operands, a draw of a text by one engine, the proptest runner. Must not
//! know what shaders are made.

use fuseline::{
    Buffer, Device, DeviceOptions, DrawCall, DrawState, Engine, Format, IndexBufferView,
    InputClassification, InputElementDesc, Pipeline, PipelineDesc, Register, Results, Topology,
    VertexBufferView, compile, compiler::isa::Features, draw::DrawOptions,
};
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner};

/// Words of the constant buffer that are bound.
const CONSTANT_WORDS: usize = 60;

/// Bits that float and integer operations stumble over.
pub const HARD: [u32; 40] = [
    0x0000_0000,
    0x8000_0000,
    0x3F80_0000,
    0xBF80_0000,
    0x3F00_0000,
    0xBF00_0000,
    0x4000_0000,
    0x4020_0000,
    0x3FC0_0000,
    0x7F80_0000,
    0xFF80_0000,
    0x7FC0_0000,
    0xFFC0_0000,
    0x7F80_0001,
    0x7FC1_2345,
    0xFFFF_FFFF,
    0x0000_0001,
    0x8000_0001,
    0x007F_FFFF,
    0x807F_FFFF,
    0x0080_0000,
    0x8080_0000,
    0x0080_0001,
    0x00FF_FFFF,
    0x7F7F_FFFF,
    0xFF7F_FFFF,
    0x3F7F_FFFF,
    0x3F80_0001,
    0x3400_0000,
    0x4B00_0000,
    0x4B80_0000,
    0xCB80_0000,
    0x4EFF_FFFF,
    0x4F00_0000,
    0xCF00_0000,
    0x4F80_0000,
    0x0000_0003,
    0x7FFF_FFFF,
    0x4049_0FDB,
    0xFFFF_FFFE,
];

/// Words of input: hard ones, random bits, small integers, floats of everyday size.
pub struct Words(u64);

impl Words {
    /// Every seed has its own words.
    pub fn new(seed: u64) -> Words {
        Words(seed)
    }

    /// SplitMix64 (Steele, Lea, Flood 2014).
    fn random(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

impl Iterator for Words {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let random = self.random();
        let word = (random >> 32) as u32;
        Some(match random & 15 {
            0..=4 => HARD[word as usize % HARD.len()],
            5..=7 => word,
            8 | 9 => (word as i32 >> 28) as u32,
            10 | 11 => ((word as i32 >> 8) as f32 / 65536.0).to_bits(),
            // Exponents close together, so that sums cancel and products meet the ends of the range.
            12 => (word & 0x807F_FFFF) | 0x3F80_0000,
            13 => (word & 0x81FF_FFFF) | 0x1F00_0000,
            14 => (word & 0x81FF_FFFF) | 0x0080_0000,
            _ => (word & 0x81FF_FFFF) | 0x5F00_0000,
        })
    }
}

/// How a row of input words reaches a shader: semantic, format, whether it comes once per instance.
pub type Element = (&'static str, Format, bool);

/// What a draw depends on besides shader and data.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Instructions that the JIT uses: without fused multiply-add it emulates.
    pub features: Features,
    /// Whether denormals flush.
    pub flush_denormals: bool,
    /// Vertices per instance.
    pub vertices: u32,
    /// Whether they are drawn through scattered indices, some of them out of bounds.
    pub indexed: bool,
}

impl Setting {
    /// The settings in turn.
    pub fn of(seed: u64) -> Setting {
        Setting {
            features: [Features::Native, Features::Sse41][(seed & 1) as usize],
            flush_denormals: seed & 6 != 0,
            // More than a few groups of lanes and no whole number of them; fewer than one group.
            vertices: [45, 45, 64, 3][(seed >> 3 & 3) as usize],
            indexed: seed >> 5 & 3 == 0,
        }
    }
}

const INSTANCES: u32 = 2;

fn element(&(semantic, format, per_instance): &Element) -> InputElementDesc {
    let desc = InputElementDesc::new(semantic, 0, format);
    if !per_instance {
        return desc;
    }
    InputElementDesc {
        input_slot: 1,
        input_slot_class: InputClassification::PerInstanceData,
        instance_data_step_rate: 1,
        ..desc
    }
}

/// A shader over inputs of four words each, ready to draw.
pub struct Shader {
    pipeline: Pipeline,
    state: DrawState,
    call: DrawCall,
}

impl Shader {
    /// Compiles, and fills vertices, two instances and constant buffer `b0` with words.
    pub fn new(
        text: &str,
        profile: &str,
        elements: &[Element],
        setting: &Setting,
        mut words: impl Iterator<Item = u32>,
    ) -> Result<Shader, String> {
        let program = compile(text, "main", profile).map_err(|e| e.to_string())?;
        let layout: Vec<InputElementDesc> = elements.iter().map(element).collect();
        let options = DeviceOptions {
            features: setting.features,
            flush_denormals: setting.flush_denormals,
            ..DeviceOptions::default()
        };
        let device = Device::new(options).map_err(|e| e.to_string())?;
        let pipeline = device
            .create_pipeline(&PipelineDesc::new(program, &layout))
            .map_err(|e| e.to_string())?;
        let mut state = DrawState::new(Topology::PointList);
        for (slot, rows) in [(0, setting.vertices), (1, INSTANCES)] {
            let columns = layout.iter().filter(|e| e.input_slot == slot).count() as u32;
            let bits: Vec<u32> = words.by_ref().take((rows * columns * 4) as usize).collect();
            let view = VertexBufferView::new(&Buffer::from_slice(&bits), columns * 16);
            state.vertex_buffers.insert(slot, view);
        }
        let constants: Vec<u32> = words.by_ref().take(CONSTANT_WORDS).collect();
        state
            .constants
            .insert(Register::b(0), Buffer::from_slice(&constants));
        let call = if setting.indexed {
            let indices: Vec<u32> = words
                .take(setting.vertices as usize)
                .map(|w| w % (setting.vertices * 5 / 4 + 1))
                .collect();
            state.index_buffer = Some(IndexBufferView::from_u32(&indices));
            DrawCall::DrawIndexedInstanced {
                index_count: setting.vertices,
                instance_count: INSTANCES,
                start_index: 0,
                base_vertex: 0,
                start_instance: 0,
            }
        } else {
            DrawCall::DrawInstanced {
                vertex_count: setting.vertices,
                instance_count: INSTANCES,
                start_vertex: 0,
                start_instance: 0,
            }
        };
        Ok(Shader {
            pipeline,
            state,
            call,
        })
    }

    /// The results by one engine, or its refusal.
    pub fn draw(&self, engine: Engine) -> Result<Results, String> {
        self.pipeline
            .draw_with(&self.state, &self.call, &DrawOptions::engine(engine))
            .map_err(|e| e.to_string())
    }
}

/// A runner with `PROPTEST_CASES` cases, or `cases`; the same ones every time unless `PROPTEST_RNG_SEED` says otherwise.
fn runner(cases: u32) -> TestRunner {
    let mut config = Config {
        failure_persistence: None,
        max_shrink_iters: 4000,
        ..Config::default()
    };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
    }
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(0x0F05_E11E);
    }
    TestRunner::new(config)
}

/// Runs a test on `PROPTEST_CASES` cases, or `cases`; panics with the smallest failure's own text.
pub fn passes<S: Strategy>(
    cases: u32,
    strategy: &S,
    test: impl Fn(S::Value) -> Result<(), TestCaseError>,
) {
    if let Err(error) = runner(cases).run(strategy, test) {
        match error {
            TestError::Fail(reason, _) => panic!("{reason}"),
            abort => panic!("{abort}"),
        }
    }
}

/// The decisions that make a random text. Each takes the next number; when they run out, every decision is its first
/// alternative, which is always the simplest and ends the recursion: so fewer and smaller numbers mean a smaller text, and
/// proptest's shrinking of a list of numbers minimises the text.
pub struct Choices<'a> {
    numbers: &'a [u16],
}

impl<'a> Choices<'a> {
    /// All that the numbers say.
    pub fn new(numbers: &'a [u16]) -> Choices<'a> {
        Choices { numbers }
    }

    /// A number below `count`.
    pub fn below(&mut self, count: usize) -> usize {
        let Some((first, rest)) = self.numbers.split_first() else {
            return 0;
        };
        self.numbers = rest;
        (usize::from(*first) * count) >> 16
    }

    /// One of a list.
    pub fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// True once in `count` times.
    pub fn rarely(&mut self, count: usize) -> bool {
        self.below(count) + 1 == count
    }
}
