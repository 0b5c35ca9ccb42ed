//! Every shader in every language it is needed in, and the build's reaction to a broken one.

#[path = "../../crates/dsp/build/shaders.rs"]
mod build;

use std::collections::BTreeSet;

use dsp::gpu::shaders::{ALL, BindingKind, Shader};
use naga::back::{hlsl, msl, spv};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

fn module(shader: &Shader) -> (naga::Module, ModuleInfo) {
    let module = naga::front::wgsl::parse_str(shader.source).unwrap();
    let info = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module).unwrap();
    (module, info)
}

/// Every shader; at least one.
fn every() -> impl Iterator<Item = &'static Shader> {
    assert!(!ALL.is_empty(), "there is no shader");
    ALL.iter().copied()
}

#[test]
fn none_is_missing() {
    let folders = ["network", "signal"].map(|wing| crate::support::repository().join("shaders").join(wing));
    let files: BTreeSet<String> = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap())
        .filter_map(|entry| {
            entry.unwrap().file_name().to_str().and_then(|name| Some(name.strip_suffix(".wgsl")?.into()))
        })
        .collect();
    let known: Vec<&str> = every().map(|shader| shader.name).collect();
    assert_eq!(known, files.iter().collect::<Vec<_>>());
    for (kernel, _) in dsp::device::trials::TABLE {
        for shader in kernel.shaders {
            assert!(known.iter().any(|name| format!("{name}.wgsl") == *shader), "{}: no {shader}", kernel.name);
        }
    }
}

#[test]
fn all_translate_to_spirv() {
    for shader in every() {
        let (module, info) = module(shader);
        let words = spv::write_vec(&module, &info, &spv::Options::default(), None).unwrap();
        assert_eq!(words[0], 0x0723_0203, "{}: SPIR-V's magic number", shader.name);
    }
}

#[test]
fn all_translate_to_metal() {
    for shader in every() {
        let (module, info) = module(shader);
        let options = msl::Options { lang_version: (2, 4), fake_missing_bindings: true, ..msl::Options::default() };
        let (text, translated) = msl::write_string(&module, &info, &options, &msl::PipelineOptions::default()).unwrap();
        for (entry, name) in shader.entries.iter().zip(&translated.entry_point_names) {
            assert!(
                text.contains(&format!("kernel void {}", name.as_ref().unwrap())),
                "{}: no {}",
                shader.name,
                entry.name
            );
        }
    }
}

#[test]
fn all_translate_to_hlsl() {
    for shader in every() {
        let (module, info) = module(shader);
        let mut text = String::new();
        let (options, pipeline) = (hlsl::Options::default(), hlsl::PipelineOptions::default());
        hlsl::Writer::new(&mut text, &options, &pipeline).write(&module, &info, None).unwrap();
        for entry in shader.entries {
            let [x, y, z] = entry.workgroup_size;
            assert!(text.contains(&format!("[numthreads({x}, {y}, {z})]")), "{}", shader.name);
        }
    }
}

/// The arrays of a thread that are indexed by a value that is no constant, in a shader. Where a compiler does not unroll
/// the loop, it moves them to memory.
fn indexed_arrays(source: &str) -> BTreeSet<String> {
    let module = naga::front::wgsl::parse_str(source).unwrap();
    let functions = module.functions.iter().map(|(_, function)| function);
    let mut found = BTreeSet::new();
    for function in functions.chain(module.entry_points.iter().map(|entry| &entry.function)) {
        for (_, expression) in function.expressions.iter() {
            let naga::Expression::Access { base, .. } = expression else { continue };
            let named = match function.expressions[*base] {
                naga::Expression::LocalVariable(local) => function.local_variables[local].name.clone(),
                naga::Expression::GlobalVariable(global) => {
                    let global = &module.global_variables[global];
                    (global.space == naga::AddressSpace::Private).then(|| global.name.clone()).flatten()
                }
                _ => None,
            };
            found.extend(named);
        }
    }
    found
}

/// FXC keeps such arrays in memory (`x0[]` of its assembly) unless it unrolls their loops. All of these have a constant
/// number of rounds, and the Radeon's compiler unrolls them: `statistics` finds no scratch memory. Think of that before a new
/// one is added here.
#[test]
fn arrays_of_a_thread_that_are_indexed_are_known() {
    let found: Vec<String> = every()
        .flat_map(|shader| indexed_arrays(shader.source).into_iter().map(move |name| format!("{}.{name}", shader.name)))
        .collect();
    let known = [
        "fir.mirror",
        "fir.sum",
        "fir.v",
        "fir_long.mirror",
        "fir_long.sum",
        "fir_long.v",
        "iir_cascade.x",
        "istft.mirror",
        "istft.v",
        "istft_long.mirror",
        "istft_long.v",
        "stft.mirror",
        "stft.power",
        "stft.v",
        "stft_long.mirror",
        "stft_long.v",
        "yin.sums",
    ];
    assert_eq!(found, known);
    let spoiled = "fn f(n: u32) -> f32 { var a = array<f32, 4>(); return a[n]; }";
    assert_eq!(indexed_arrays(spoiled).len(), 1);
}

#[test]
fn the_basic_tier_is_enough() {
    for entry in every().flat_map(|shader| shader.entries) {
        let storage = entry.bindings.iter().filter(|binding| binding.kind != BindingKind::Params).count();
        let threads: u32 = entry.workgroup_size.iter().product();
        // The device selector keeps finite responses from adapters of the basic tier.
        let most = if entry.shader.starts_with("fir") { 8 } else { 4 };
        assert!(storage <= most, "{}/{} binds {storage} storage buffers", entry.shader, entry.name);
        assert!(threads <= 256, "{}/{} has {threads} threads", entry.shader, entry.name);
        assert!(entry.workgroup_bytes <= 16_352, "{}/{}: {} bytes", entry.shader, entry.name, entry.workgroup_bytes);
        let code = entry.source.source;
        for forbidden in ["sin(", "cos(", "fma(", "subgroup", "enable "] {
            assert!(!code.contains(forbidden), "{} uses {forbidden}", entry.shader);
        }
    }
}

/// Returns the first place that relies on a number that is not finite. Metal and DX12 compile with fast mathematics and
/// may take any number for finite: `x != x` is then false and `broken + x` anything. Shaders have to recognise these
/// values by their bits as integers, and keep them as integers.
fn counts_on_nan(name: &str, source: &str) -> Option<String> {
    let module = naga::front::wgsl::parse_str(source).unwrap();
    let functions = module.functions.iter().map(|(_, function)| function);
    for function in functions.chain(module.entry_points.iter().map(|entry| &entry.function)) {
        let all = &function.expressions;
        for (_, expression) in all.iter() {
            let found = match expression {
                naga::Expression::Binary { op, left, right } => is_comparison(*op) && same(all, *left, *right),
                naga::Expression::Relational { fun, .. } => {
                    matches!(fun, naga::RelationalFunction::IsNan | naga::RelationalFunction::IsInf)
                }
                _ => false,
            };
            if found {
                return Some(format!("{name}: {expression:?} in {:?}", function.name));
            }
        }
    }
    // A value that is known not to be finite is not calculated with.
    let mut lines = source.lines().map(str::trim).filter(|line| !line.starts_with("//"));
    while let Some(line) = lines.next() {
        let broken = line.starts_with("if (!finite(") || line.starts_with("if (is_broken(");
        if broken && let Some(next) = lines.next() {
            let sums = ["+=", "-=", "*=", "/="].iter().any(|operator| next.contains(operator));
            if sums {
                return Some(format!("{name}: `{next}` behind `{line}`"));
            }
        }
    }
    None
}

fn is_comparison(op: naga::BinaryOperator) -> bool {
    use naga::BinaryOperator::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    matches!(op, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
}

/// Whether two expressions are of one value: the same one, or loads of the same place.
fn same(
    all: &naga::Arena<naga::Expression>,
    left: naga::Handle<naga::Expression>,
    right: naga::Handle<naga::Expression>,
) -> bool {
    use naga::Expression::{Access, AccessIndex, GlobalVariable, Load, LocalVariable};
    left == right
        || match (&all[left], &all[right]) {
            (Load { pointer: a }, Load { pointer: b }) => same(all, *a, *b),
            (LocalVariable(a), LocalVariable(b)) => a == b,
            (GlobalVariable(a), GlobalVariable(b)) => a == b,
            (AccessIndex { base: a, index: m }, AccessIndex { base: b, index: n }) => m == n && same(all, *a, *b),
            (Access { base: a, index: m }, Access { base: b, index: n }) => same(all, *m, *n) && same(all, *a, *b),
            _ => false,
        }
}

#[test]
fn none_counts_on_what_fast_mathematics_takes_away() {
    for shader in every() {
        assert_eq!(counts_on_nan(shader.name, shader.source), None);
    }
    // The negative control.
    for body in [
        "fn f(x: f32) -> bool { return x != x; }",
        "fn f(x: f32) -> bool { var y = x * 2.0; return !(y == y); }",
        "fn f(x: vec2<f32>) -> bool { return x.y < x.y; }",
        "fn finite(x: f32) -> bool { return x < 3e38; }\nfn f(x: f32) -> f32 {\nvar sum = 0.0;\nif (!finite(x)) {\nsum += x;\n}\nreturn sum;\n}",
    ] {
        assert!(counts_on_nan("spoiled", body).is_some(), "{body}");
    }
    assert_eq!(counts_on_nan("good", "fn f(x: f32, y: f32) -> bool { return x < y; }"), None);
}

/// Returns the first product with a switch of 0 or 1. Compilers with fast mathematics add up the factors of one value,
/// so that `keep * s + power * s` becomes `(keep + power) * s` and loses the digits of a small power; a switch has to
/// be a `select`.
fn multiplies_a_switch(name: &str, source: &str) -> Option<String> {
    let module = naga::front::wgsl::parse_str(source).unwrap();
    let functions = module.functions.iter().map(|(_, function)| function);
    for function in functions.chain(module.entry_points.iter().map(|entry| &entry.function)) {
        for (_, expression) in function.expressions.iter() {
            let naga::Expression::Binary { op: naga::BinaryOperator::Multiply, left, right } = expression else {
                continue;
            };
            if [*left, *right].into_iter().any(|operand| is_switch(&function.expressions, operand)) {
                return Some(format!("{name}: {expression:?} in {:?}", function.name));
            }
        }
    }
    let product = |line: &str| line.contains("keep") && !line.trim_start().starts_with("//") && line.contains('*');
    source.lines().find(|line| product(line)).map(|line| format!("{name}: {}", line.trim()))
}

/// Whether a value is 0 or 1 as a number, by a condition.
fn is_switch(all: &naga::Arena<naga::Expression>, value: naga::Handle<naga::Expression>) -> bool {
    use naga::{Expression, Literal, ScalarKind};
    let is_bit = |mut value: naga::Handle<Expression>| {
        while let Expression::Splat { value: inner, .. } = all[value] {
            value = inner;
        }
        matches!(all[value], Expression::Literal(Literal::F32(0.0 | 1.0)))
    };
    match &all[value] {
        Expression::Splat { value, .. } => is_switch(all, *value),
        Expression::Select { accept, reject, .. } => is_bit(*accept) && is_bit(*reject),
        Expression::As { expr, kind: ScalarKind::Float, convert: Some(_) } => matches!(
            &all[*expr],
            Expression::Binary { op, .. } if is_comparison(*op) || *op == naga::BinaryOperator::LogicalAnd
        ),
        _ => false,
    }
}

#[test]
fn none_multiplies_by_a_switch() {
    for shader in every() {
        assert_eq!(multiplies_a_switch(shader.name, shader.source), None);
    }
    // The negative control.
    for body in [
        "fn f(keep: f32, s: f32, p: f32) -> f32 { return keep * s + p * s; }",
        "fn f(on: bool, s: f32) -> f32 { return s * select(0.0, 1.0, on); }",
        "fn f(a: u32, s: vec2<f32>) -> vec2<f32> { return f32(a > 3u) * s; }",
        "fn f(on: bool, s: vec2<f32>) -> vec2<f32> { return select(vec2<f32>(1.0), vec2<f32>(0.0), on) * s; }",
    ] {
        assert!(multiplies_a_switch("spoiled", body).is_some(), "{body}");
    }
    let good = "fn f(on: bool, s: f32, p: f32) -> f32 { return select(0.0, s, on) + select(1.0, 0.5, on) * p * s; }";
    assert_eq!(multiplies_a_switch("good", good), None);
}

#[test]
fn the_build_refuses_what_is_broken_and_says_where() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    assert!(build::compile(folder.path()).unwrap_err().contains("no shader found"));
    let head = "struct Params { first_group: u32 }\n@group(0) @binding(0) var<uniform> params: Params;\n";
    let main = "@compute @workgroup_size(64)\nfn run() { let n = params.first_group; }\n";
    write("signal/good.wgsl", &format!("{head}{main}"));
    let generated = build::compile(folder.path()).unwrap();
    assert!(generated.contains("pub mod good") && generated.contains("first_group: Some(0)"));
    write("signal/bad.wgsl", &format!("{head}{main}fn broken() -> u32 {{ return 1.5; }}\n"));
    let error = build::compile(folder.path()).unwrap_err();
    assert!(error.contains("bad.wgsl:5:"), "{error}");
    // A fault in an imported file is reported at its place there, not at the import.
    write("shared/part.wgsl", "// one\n// two\nfn part() { nonsense; }\n");
    write("signal/bad.wgsl", &format!("{head}// import: shared/part.wgsl\n{main}"));
    let error = build::compile(folder.path()).unwrap_err();
    assert!(error.contains("part.wgsl:3:"), "{error}");
    write("signal/bad.wgsl", "// import: shared/none.wgsl\n");
    assert!(build::compile(folder.path()).unwrap_err().contains("bad.wgsl:1: no such import"));
    // Generated code is inserted into the shader, and the lines after it keep their numbers.
    write("signal/bad.wgsl", &format!("{head}// generate: medians_of_31\n{main}"));
    assert!(build::compile(folder.path()).unwrap().contains("medians_of_31(x0: u32"));
    write(
        "signal/bad.wgsl",
        &format!("{head}// generate: medians_of_31\nfn broken() -> u32 {{ return 1.5; }}\n{main}"),
    );
    let error = build::compile(folder.path()).unwrap_err();
    assert!(error.contains("bad.wgsl:4:"), "{error}");
    write("signal/bad.wgsl", "// generate: nonsense\n");
    assert!(build::compile(folder.path()).unwrap_err().contains("bad.wgsl:1: nothing generates `nonsense`"));
}
