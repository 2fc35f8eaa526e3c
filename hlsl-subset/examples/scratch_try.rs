use fuseline_hlsl::{compile::*, options::CompileOptions, preprocess::NoIncludes};
fn main() {
    let show = std::env::var("SHOW").is_ok();
    let (mut ok, mut bad) = (0, 0);
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap();
        let (source, profile, entry, must_fail) = if path.ends_with(".toml") {
            let Some(source) = text
                .split("source = '''")
                .nth(1)
                .and_then(|s| s.split("'''").next())
            else {
                continue;
            };
            let get = |k: &str| {
                text.lines()
                    .find(|l| l.starts_with(k))
                    .and_then(|l| l.split('"').nth(1))
                    .unwrap_or("main")
                    .to_owned()
            };
            (
                source[1..].to_owned(),
                get("profile = "),
                get("entry = "),
                text.contains("error = {"),
            )
        } else {
            (
                text.clone(),
                std::env::var("P").unwrap_or("vs_5_0".into()),
                std::env::var("E").unwrap_or("main".into()),
                false,
            )
        };
        let mut options = CompileOptions {
            entry,
            profile: profile.parse().unwrap(),
            ..Default::default()
        };
        if let Some(l) = text.lines().find(|l| l.starts_with("hlsl = ")) {
            options.hlsl = l.split('"').nth(1).and_then(|v| v.parse().ok());
        }
        match if std::env::var("CHK").is_ok() {
            let c = check_entry(&path, source.as_bytes(), &options, &mut NoIncludes);
            if c.diagnostics.has_errors() {
                println!(
                    "{path}: {}",
                    c.diagnostics
                        .render_text(&c.sources, false)
                        .lines()
                        .take(6)
                        .collect::<Vec<_>>()
                        .join("\n")
                );
                bad += 1
            } else {
                ok += 1
            }
            continue;
        } else {
            compile(&path, source.as_bytes(), &options, &mut NoIncludes)
        } {
            Ok(c) => {
                let broken = fuseline_hlsl::hir::verify::verify(&c.program);
                if show {
                    println!("{}\n{}", c.program, c.reflection.to_json());
                }
                if show {
                    print!("{}", c.diagnostics.render_text(&c.sources, false));
                }
                for b in &broken {
                    println!("{path}: BROKEN {b}");
                }
                if must_fail {
                    println!("{path}: accepted");
                }
                if broken.is_empty() && !must_fail {
                    ok += 1
                } else {
                    bad += 1
                }
            }
            Err(f) => {
                if !must_fail {
                    println!("{path}\n{}", f.diagnostics.render_text(&f.sources, false));
                    bad += 1
                } else {
                    if show {
                        println!("{}", f.diagnostics.render_text(&f.sources, false));
                    }
                    ok += 1
                }
            }
        }
    }
    println!("{ok} ok, {bad} bad");
}
