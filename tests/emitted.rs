//! What becomes of one example at every step, for one named set of CPU features: a change of any pass shows here.

use fuseline::{
    Device, DeviceOptions, DrawState,
    compiler::{
        compile::{Listing, listing},
        isa::{Features, Isa},
    },
};

fn emitted(form: Listing) -> String {
    let program = fuseline::compile(
        include_str!("../examples/points/points.hlsl"),
        "main",
        "vs_5_0",
    )
    .expect("it compiles");
    let device = Device::new(DeviceOptions::default()).expect("a device");
    let desc = fuseline::PipelineDesc::new(program.clone(), &[]);
    let pipeline = device.create_pipeline(&desc).expect("it needs no layout");
    let isa = Isa::with_features(Features::Avx2Fma).expect("it can be compiled for");
    let key = pipeline.kernel_key(&DrawState::default());
    String::from_utf8(listing(&program, &key, &isa, form).expect("there is code")).expect("text")
}

#[test]
fn kir() {
    insta::assert_snapshot!(emitted(Listing::Kir));
}

#[test]
#[cfg(target_arch = "x86_64")]
fn lir() {
    insta::assert_snapshot!(emitted(Listing::Lir));
}

#[test]
#[cfg(all(target_arch = "x86_64", unix))]
fn clif() {
    insta::assert_snapshot!(emitted(Listing::Clif));
}

#[test]
#[cfg(all(target_arch = "x86_64", unix))]
fn asm() {
    insta::assert_snapshot!(emitted(Listing::Asm));
}
