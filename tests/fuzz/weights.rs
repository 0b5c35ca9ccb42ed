//! Weight files and files of units: zips, pickles, headers and codes that lie.

use std::path::Path;

use undertone::codecs::unit_files::UnitFile;
use undertone::models::recognise;
use undertone::weights::Weights;

use super::harness::{Limits, Random, run};
use super::torch_file::{Described, StoredEntry, dictionary, int, sizes, tensor, text, torch_file, zip};

/// Every instruction that is read, and some that are not.
const INSTRUCTIONS: &[u8] = b"(.012NJKMG\x80\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f\x90\x91\x92\x93\x94\x95\x96\x97\x98XTUBC)]}aesutlRbQqrhjcioPIFSV\x81\x82\x85\x86\x87";

const GLOBALS: [&str; 10] = [
    "ctorch._utils\n_rebuild_tensor_v2\n",
    "ctorch._utils\n_rebuild_parameter\n",
    "ccollections\nOrderedDict\n",
    "cfractions\nFraction\n",
    "ctorch\nSize\n",
    "ctorch\nFloatStorage\n",
    "cos\nsystem\n",
    "cbuiltins\neval\n",
    "cnumpy.core.multiarray\n_reconstruct\n",
    "cnumpy\ndtype\n",
];

fn number(random: &mut Random, usual: u64) -> i64 {
    if random.once_in(4) { random.extreme(64) as i64 } else { random.below(usual) as i64 }
}

fn numbers(random: &mut Random) -> Vec<i64> {
    let count = if random.once_in(20) { 12 } else { random.below(4) };
    (0..count).map(|_| number(random, 5)).collect()
}

/// Returns instructions that push something.
fn value(random: &mut Random, depth: u32) -> Vec<u8> {
    match random.below(if depth > 3 { 6 } else { 11 }) {
        0 => int(number(random, 100)),
        1 => text(random.pick::<&str>(&["", "a", "storage", "state_dict", "klass", "ünï"])),
        2 => vec![*random.pick(b"N\x88\x89)]}")],
        3 => b"h\x00".to_vec(),
        4 => random.pick(&GLOBALS).as_bytes().to_vec(),
        5 => sizes(&numbers(random)),
        6 => {
            let items: Vec<u8> = (0..random.below(4)).flat_map(|_| value(random, depth + 1)).collect();
            [b"](".as_slice(), &items, b"e"].concat()
        }
        7 => {
            let items: Vec<u8> = (0..2 * random.below(3)).flat_map(|_| value(random, depth + 1)).collect();
            [b"}q\x00(".as_slice(), &items, b"u"].concat()
        }
        8 => {
            let arguments: Vec<u8> = (0..random.below(7)).flat_map(|_| value(random, depth + 1)).collect();
            [random.pick(&GLOBALS).as_bytes(), b"(", &arguments, b"tR"].concat()
        }
        9 => [value(random, depth + 1), b"Q".to_vec()].concat(),
        _ => lying_tensor(random),
    }
}

fn lying_tensor(random: &mut Random) -> Vec<u8> {
    let (shape, strides) = (numbers(random), numbers(random));
    tensor(&Described {
        storage_type: random.pick::<&str>(&["FloatStorage", "HalfStorage", "LongStorage", "BoolStorage", "OddStorage"]),
        key: random.pick::<&str>(&["0", "1", "2", "../0", ""]),
        numbers: number(random, 40),
        offset: number(random, 10),
        shape: &shape,
        strides: &strides,
    })
}

fn pickle(random: &mut Random) -> Vec<u8> {
    if random.once_in(4) {
        let most = if random.once_in(40) { 20 } else { 10 };
        let count = 1 << random.below(most);
        return (0..count).map(|_| *random.pick(INSTRUCTIONS)).collect();
    }
    let names = ["state_dict", "a.weight", "b", "klass", "quantizer.quantizers.0.codebook.weight"];
    let items: Vec<(&str, Vec<u8>)> = (0..random.below(6)).map(|_| (*random.pick(&names), value(random, 0))).collect();
    mutated(dictionary(&items), random)
}

fn mutated(mut bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    for _ in 0..random.below(3) {
        if bytes.is_empty() {
            break;
        }
        let at = random.below(bytes.len() as u64) as usize;
        match random.below(4) {
            0 => bytes.truncate(at),
            1 => bytes[at] = random.next() as u8,
            2 => {
                let end = (at + 8).min(bytes.len());
                bytes[at..end].fill(*random.pick(&[0, 0xff, 0x7f]));
            }
            _ => drop(bytes.splice(at..at, random.bytes(3))),
        }
    }
    bytes
}

fn torch(random: &mut Random) -> Vec<u8> {
    let pickle = pickle(random);
    if random.once_in(2) {
        let storages: Vec<Vec<u8>> = (0..random.below(3)).map(|_| vec![7; random.below(200) as usize]).collect();
        return mutated(torch_file(&pickle, &storages), random);
    }
    let mut entries = vec![StoredEntry::new("archive/data.pkl", &pickle)];
    let count = if random.once_in(30) { 2000 } else { random.below(4) };
    for number in 0..count {
        let bytes = random.below(300) as usize;
        let mut entry = StoredEntry::new(&format!("archive/data/{number}"), &random.bytes(bytes));
        if random.once_in(6) {
            entry.name = random.bytes(5);
        }
        if random.once_in(6) {
            entry.method = random.extreme(16) as u16;
        }
        entry.claimed_bytes = random.once_in(6).then(|| random.extreme(32) as u32);
        entry.claimed_header = random.once_in(6).then(|| random.extreme(32) as u32);
        entries.push(entry);
    }
    mutated(zip(&entries), random)
}

fn safetensors(random: &mut Random) -> Vec<u8> {
    let mut end = 0;
    let tensors: Vec<String> = (0..random.below(5))
        .map(|index| {
            let bytes = random.below(6) * 4;
            let start = if random.once_in(8) { random.extreme(64) } else { end };
            end = if random.once_in(8) { random.extreme(64) } else { start.wrapping_add(bytes) };
            let shape = if random.once_in(6) { format!("{:?}", numbers(random)) } else { format!("[{}]", bytes / 4) };
            let dtype = random.pick(&["F32", "F32", "F32", "F16", "BOOL", "F4", "F99"]);
            format!(r#""t{index}":{{"dtype":"{dtype}","shape":{shape},"data_offsets":[{start},{end}]}}"#)
        })
        .collect();
    let mut header = format!("{{{}}}", tensors.join(","));
    if random.once_in(20) {
        header = "[".repeat(1 << random.below(18));
    }
    let length = if random.once_in(8) { random.extreme(64) } else { header.len() as u64 };
    let data = vec![0; (end % 512) as usize];
    mutated([&length.to_le_bytes(), header.as_bytes(), &data].concat(), random)
}

fn index(random: &mut Random) -> Vec<u8> {
    let file = random.pick(&["case", "../case", "/etc/passwd", "", ".", "none"]);
    mutated(format!(r#"{{"weight_map": {{"a": "{file}", "b": "case"}}}}"#).into_bytes(), random)
}

fn read_weights(path: &Path, _: &mut Random) {
    let _ = recognise(path);
    let Ok(weights) = Weights::open(path) else { return };
    for name in weights.names().take(50) {
        let shape = weights.entry(name).unwrap().shape.clone();
        if let Ok(numbers) = weights.tensor(name, &shape) {
            assert_eq!(numbers.len(), shape.iter().product::<usize>());
        }
    }
    weights.content_hash().unwrap();
}

#[test]
fn weight_files() {
    let make = |random: &mut Random| match random.below(8) {
        0..=3 => torch(random),
        4..=6 => safetensors(random),
        _ => index(random),
    };
    run("weight_files", Limits::default(), make, read_weights);
}

fn real(folder: &str) -> Vec<Vec<u8>> {
    let folder = crate::support::reference(folder);
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().filter(|path| path.is_file()).map(|path| std::fs::read(path).unwrap()).collect()
}

#[test]
fn mutants_of_weight_files() {
    let seeds = real("weights");
    assert!(seeds.len() > 10, "the seeds are missing");
    let make = move |random: &mut Random| {
        let seed = random.pick(&seeds).clone();
        mutated(seed, random)
    };
    run("mutants_of_weight_files", Limits::default(), make, read_weights);
}

#[test]
fn unit_files() {
    let seeds = real("unit_files");
    assert!(seeds.len() > 15, "the seeds are missing");
    let make = move |random: &mut Random| {
        if random.once_in(4) {
            let heads = [
                b"ECDC\0\0\0\0\x3a{\"m\": \"encodec_48khz\", \"al\": 99999999999, \"nc\": 2, \"lm\": false}".as_slice(),
                b"\x93NUMPY\x01\0\x3a\0{'descr': '<i2', 'fortran_order': True, 'shape': (2, 99)}\n ".as_slice(),
                b"\x93NUMPY\x01\0\x38\0{'descr': '|O', 'fortran_order': False, 'shape': ()}      ".as_slice(),
            ];
            let head = random.pick(&heads);
            let tail = if random.once_in(2) { pickle(random) } else { random.bytes(400) };
            return mutated([*head, &tail].concat(), random);
        }
        let seed = random.pick(&seeds).clone();
        mutated(seed, random)
    };
    run("unit_files", Limits::default(), make, |path, _| drop(UnitFile::read(path)));
}
