//! Writes the declarations of a validated shader as Rust.

use std::fmt::Write;

use naga::{AddressSpace, ArraySize, Handle, Literal, Module, ScalarKind, StorageAccess, Type, TypeInner};

/// Returns the Rust module of one shader: source, constants, structs, and entry points with typed bindings.
pub fn shader(name: &str, text: &str, module: &Module, info: &naga::valid::ModuleInfo) -> Result<String, String> {
    let mut out = String::new();
    write(
        &mut out,
        format_args!(
            "/// What `{name}.wgsl` declares.\npub mod {name} {{\nuse super::{{Binding, BindingKind, Dispatch, Entry, Shader, View}};\n"
        ),
    );
    constants(&mut out, module);
    structs(&mut out, name, module)?;
    let mut entries = Vec::new();
    for (index, entry) in module.entry_points.iter().enumerate() {
        let uses = info.get_entry_point(index);
        let mut bindings = Vec::new();
        for (handle, variable) in module.global_variables.iter() {
            let Some(place) = &variable.binding else { continue };
            if uses[handle].is_empty() {
                continue;
            }
            if place.group != 0 {
                return Err(format!("{name}.wgsl: only group 0 is used, got group {}", place.group));
            }
            bindings.push((place.binding, variable));
        }
        bindings.sort_by_key(|(binding, _)| *binding);
        let workgroup: u64 = module
            .global_variables
            .iter()
            .filter(|(handle, variable)| variable.space == AddressSpace::WorkGroup && !uses[*handle].is_empty())
            .map(|(_, variable)| u64::from(module.types[variable.ty].inner.size(module.to_ctx())))
            .sum();
        self::entry(&mut out, name, module, entry, &bindings, workgroup)?;
        entries.push(format!("&{}", entry.name.to_uppercase()));
    }
    write(
        &mut out,
        format_args!(
            "/// The shader.\npub static SHADER: Shader = Shader {{ name: {name:?}, source: {text:?}, entries: &[{}] }};\n}}\n",
            entries.join(", ")
        ),
    );
    Ok(out)
}

/// Returns the list of all shaders.
pub fn table(names: &[String]) -> String {
    format!("/// Every shader, by name.\npub static ALL: &[&Shader] = &[{}];\n", names.join(", "))
}

fn write(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to a string");
}

fn constants(out: &mut String, module: &Module) {
    for (_, constant) in module.constants.iter() {
        let (Some(name), naga::Expression::Literal(value)) =
            (&constant.name, &module.global_expressions[constant.init])
        else {
            continue;
        };
        let (kind, value) = match value {
            Literal::U32(value) => ("u32", value.to_string()),
            Literal::I32(value) => ("i32", value.to_string()),
            Literal::F32(value) => ("f32", format!("{value:?}")),
            _ => continue,
        };
        write(out, format_args!("/// As in the shader.\npub const {name}: {kind} = {value};\n"));
    }
}

/// Writes structs in the layout that the host must use. Gaps become named padding.
fn structs(out: &mut String, shader: &str, module: &Module) -> Result<(), String> {
    for (_, kind) in module.types.iter() {
        let (Some(name), TypeInner::Struct { members, span }) = (&kind.name, &kind.inner) else { continue };
        let mut fields = String::new();
        let mut at = 0;
        let mut gaps = 0;
        for member in members {
            let Some((rust, size)) = rust_type(module, member.ty) else {
                return Err(format!("{shader}.wgsl: struct {name}: a member's type has no Rust counterpart"));
            };
            gap(&mut fields, &mut gaps, at, member.offset);
            let field = member.name.as_deref().unwrap_or("unnamed");
            write(&mut fields, format_args!("/// As in the shader.\npub {field}: {rust},\n"));
            at = member.offset + size;
        }
        gap(&mut fields, &mut gaps, at, *span);
        write(
            out,
            format_args!(
                "/// As in the shader, {span} bytes.\n#[repr(C)]\n#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, \
                 bytemuck::Zeroable)]\npub struct {name} {{\n{fields}}}\nconst _: () = assert!(size_of::<{name}>() == {span});\n"
            ),
        );
    }
    Ok(())
}

fn gap(fields: &mut String, gaps: &mut u32, from: u32, to: u32) {
    if to > from {
        write(fields, format_args!("/// Padding.\npub gap{gaps}: [u32; {}],\n", (to - from) / 4));
        *gaps += 1;
    }
}

/// Returns the Rust type and its size in bytes, or `None` if there is no such type without gaps inside.
fn rust_type(module: &Module, handle: Handle<Type>) -> Option<(String, u32)> {
    let kind = &module.types[handle];
    let scalar = |scalar: &naga::Scalar| match (scalar.kind, scalar.width) {
        (ScalarKind::Float, 4) => Some("f32"),
        (ScalarKind::Uint, 4) => Some("u32"),
        (ScalarKind::Sint, 4) => Some("i32"),
        _ => None,
    };
    match &kind.inner {
        TypeInner::Scalar(of) => Some((scalar(of)?.to_owned(), 4)),
        TypeInner::Vector { size, scalar: of } => {
            Some((format!("[{}; {}]", scalar(of)?, *size as u32), *size as u32 * 4))
        }
        TypeInner::Array { base, size: ArraySize::Constant(count), stride } => {
            let (inner, size) = rust_type(module, *base)?;
            (size == *stride).then(|| (format!("[{inner}; {count}]"), size * count.get()))
        }
        TypeInner::Struct { span, .. } => Some((kind.name.clone()?, *span)),
        _ => None,
    }
}

fn entry(
    out: &mut String,
    shader: &str,
    module: &Module,
    entry: &naga::EntryPoint,
    bindings: &[(u32, &naga::GlobalVariable)],
    workgroup_bytes: u64,
) -> Result<(), String> {
    let name = &entry.name;
    let constant = name.to_uppercase();
    let camel: String = name.split('_').map(capitalised).collect();
    let mut list = String::new();
    let mut fields = String::new();
    let mut values = Vec::new();
    let mut params = None;
    for (number, variable) in bindings {
        let label = variable.name.as_deref().unwrap_or("unnamed");
        let bytes = module.types[variable.ty].inner.size(module.to_ctx());
        let kind = match variable.space {
            AddressSpace::Uniform => {
                let of = module.types[variable.ty].name.clone();
                if params.is_some() || *number != 0 {
                    return Err(format!("{shader}.wgsl: {name}: one uniform only, at binding 0"));
                }
                params = Some((of.ok_or("a uniform must be a struct")?, variable.ty));
                "BindingKind::Params"
            }
            AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => "BindingKind::ReadWrite",
            AddressSpace::Storage { .. } => "BindingKind::Read",
            _ => return Err(format!("{shader}.wgsl: {name}: {label} is neither uniform nor storage")),
        };
        write(
            &mut list,
            format_args!("Binding {{ number: {number}, name: {label:?}, kind: {kind}, bytes: {bytes} }}, "),
        );
        if variable.space != AddressSpace::Uniform {
            write(&mut fields, format_args!("/// Binding {number}, `{label}`.\npub {label}: View,\n"));
            values.push(format!("self.{label}"));
        }
    }
    let (params, ty) = params.ok_or(format!("{shader}.wgsl: {name} has no uniform `params` at binding 0"))?;
    let first_group = match &module.types[ty].inner {
        TypeInner::Struct { members, .. } => {
            members.iter().find(|member| member.name.as_deref() == Some("first_group")).map(|member| member.offset)
        }
        _ => None,
    };
    let [x, y, z] = entry.workgroup_size;
    write(
        out,
        format_args!(
            "/// The entry point `{name}`.\npub static {constant}: Entry = Entry {{ shader: {shader:?}, source: &SHADER, name: {name:?}, \
             workgroup_size: [{x}, {y}, {z}], workgroup_bytes: {workgroup_bytes}, first_group: {first_group:?}, \
             bindings: &[{list}] }};\n\
             /// What `{name}` works on.\n#[derive(Clone, Copy, Debug)]\npub struct {camel} {{\n{fields}}}\n\
             impl {camel} {{\n/// A dispatch of `{name}` over so many workgroups; `work` is its cost in the kernel's own measure.\n\
             pub fn dispatch(self, params: &{params}, groups: [u32; 3], work: u64) -> Dispatch {{\n\
             Dispatch {{ entry: &{constant}, views: vec![{}], params: bytemuck::bytes_of(params).to_vec(), groups, work }}\n}}\n}}\n",
            values.join(", ")
        ),
    );
    Ok(())
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
