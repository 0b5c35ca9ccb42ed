//! The machine that executes a pickle.
//!
//! Supports the instructions of protocols 2 to 5 that data are written with (see `pickletools`). Those of protocol 0,
//! which are text, and those of extension registries and buffers outside the pickle are refused.

use std::collections::HashMap;
use std::ops::Range;

use super::object::{GlobalRole, Object, ObjectId, Pickle};

/// The most objects of a pickle. A model of a thousand tensors has about 20,000.
const MAX_OBJECTS: usize = 1_000_000;
/// The longest pickle, so that places in it fit 32 bits.
const MAX_BYTES: usize = 1 << 30;
/// The longest name of a module or class.
const MAX_NAME_BYTES: usize = 256;

type Outcome<T> = Result<T, String>;

impl<'a> Pickle<'a> {
    /// Reads a pickle. `known` says which global names belong to the format.
    pub fn read(bytes: &'a [u8], known: fn(&str) -> GlobalRole) -> Outcome<Self> {
        if bytes.len() > MAX_BYTES {
            return Err(format!("A pickle has at most {MAX_BYTES} bytes, and this one {}", bytes.len()));
        }
        let mut machine = Machine {
            bytes,
            at: 0,
            objects: Vec::new(),
            unknown: Vec::new(),
            stack: Vec::new(),
            marks: Vec::new(),
            memo: HashMap::new(),
            known,
        };
        let root = machine.run()?;
        let Machine { objects, unknown, .. } = machine;
        Ok(Self { bytes, objects, root, unknown })
    }
}

struct Machine<'a> {
    bytes: &'a [u8],
    at: usize,
    objects: Vec<Object>,
    unknown: Vec<ObjectId>,
    stack: Vec<ObjectId>,
    /// The heights of the stack at which a group of objects begins.
    marks: Vec<usize>,
    memo: HashMap<u32, ObjectId>,
    known: fn(&str) -> GlobalRole,
}

impl Machine<'_> {
    fn run(&mut self) -> Outcome<ObjectId> {
        loop {
            let place = self.at;
            let [instruction] = self.array()?;
            if instruction == b'.' {
                return self.pop();
            }
            self.step(instruction, place)?;
        }
    }

    fn step(&mut self, instruction: u8, place: usize) -> Outcome<()> {
        match instruction {
            // The protocol, and a frame, which only says how much to read at once.
            0x80 => drop(self.array::<1>()?),
            0x95 => drop(self.array::<8>()?),
            b'(' => self.marks.push(self.stack.len()),
            b'0' => drop(self.pop()?),
            b'1' => drop(self.group()?),
            b'2' => {
                let top = self.top()?;
                self.stack.push(top);
            }
            b'N' => self.push(Object::Nothing)?,
            0x88 => self.push(Object::Bool(true))?,
            0x89 => self.push(Object::Bool(false))?,
            b'J' => {
                let number = i32::from_le_bytes(self.array()?);
                self.push(Object::Int(number.into()))?;
            }
            b'K' => {
                let number = self.count::<1>()?;
                self.push(Object::Int(number as i64))?;
            }
            b'M' => {
                let number = self.count::<2>()?;
                self.push(Object::Int(number as i64))?;
            }
            0x8a => self.long::<1>()?,
            0x8b => self.long::<4>()?,
            b'G' => {
                let number = f64::from_be_bytes(self.array()?);
                self.push(Object::Float(number))?;
            }
            0x8c | b'U' => self.text::<1>()?,
            b'X' | b'T' => self.text::<4>()?,
            0x8d => self.text::<8>()?,
            b'C' => self.raw::<1>()?,
            b'B' => self.raw::<4>()?,
            0x8e | 0x96 => self.raw::<8>()?,
            b')' => self.push(Object::Tuple(Vec::new()))?,
            b't' => {
                let members = self.group()?;
                self.push(Object::Tuple(members))?;
            }
            0x85..=0x87 => {
                let mut members = (0..instruction - 0x84).map(|_| self.pop()).collect::<Outcome<Vec<_>>>()?;
                members.reverse();
                self.push(Object::Tuple(members))?;
            }
            // Sets are read as lists.
            b']' | 0x8f => self.push(Object::List(Vec::new()))?,
            0x91 => {
                let members = self.group()?;
                self.push(Object::List(members))?;
            }
            b'a' => {
                let member = self.pop()?;
                self.append(vec![member])?;
            }
            b'e' | 0x90 => {
                let members = self.group()?;
                self.append(members)?;
            }
            b'}' => self.push(Object::Dict(Vec::new()))?,
            b's' => {
                let (value, key) = (self.pop()?, self.pop()?);
                self.set(vec![(key, value)])?;
            }
            b'u' => {
                let members = self.group()?;
                let (pairs, rest) = members.as_chunks::<2>();
                if !rest.is_empty() {
                    return Err(self.damaged(place));
                }
                self.set(pairs.iter().map(|[key, value]| (*key, *value)).collect())?;
            }
            b'c' => {
                let (module, name) = (self.line()?, self.line()?);
                self.global(module, name)?;
            }
            0x93 => {
                let (name, module) = (self.pop()?, self.pop()?);
                let range = |id: ObjectId| match &self.objects[id.0 as usize] {
                    Object::Text(range) => Ok(range.clone()),
                    _ => Err(self.damaged(place)),
                };
                let (module, name) = (range(module)?, range(name)?);
                self.global(module, name)?;
            }
            // A function, or a class, with its arguments.
            b'R' | 0x81 => self.call(place)?,
            b'b' => {
                let state = self.pop()?;
                match self.top_object()? {
                    Object::Call { state: set, .. } => *set = Some(state),
                    _ => return Err(self.damaged(place)),
                }
            }
            b'Q' => {
                let description = self.pop()?;
                self.push(Object::Stored(description))?;
            }
            b'q' => {
                let number = self.count::<1>()?;
                self.keep(number as u32)?;
            }
            b'r' => {
                let number = self.count::<4>()?;
                self.keep(number as u32)?;
            }
            0x94 => self.keep(self.memo.len() as u32)?,
            b'h' => {
                let number = self.count::<1>()?;
                self.recall(number as u32, place)?;
            }
            b'j' => {
                let number = self.count::<4>()?;
                self.recall(number as u32, place)?;
            }
            other => {
                return Err(format!(
                    "The pickle has the instruction 0x{other:02x} at byte {place}, which weight files do not use"
                ));
            }
        }
        Ok(())
    }

    fn damaged(&self, place: usize) -> String {
        format!("The pickle is damaged at byte {place}")
    }

    fn range(&mut self, count: u64) -> Outcome<Range<u32>> {
        let rest = self.bytes.len() - self.at;
        if count > rest as u64 {
            return Err(format!("The pickle ends at byte {}, before its data", self.bytes.len()));
        }
        let start = self.at;
        self.at += count as usize;
        Ok(start as u32..self.at as u32)
    }

    fn slice(&self, range: &Range<u32>) -> &[u8] {
        &self.bytes[range.start as usize..range.end as usize]
    }

    fn array<const N: usize>(&mut self) -> Outcome<[u8; N]> {
        let range = self.range(N as u64)?;
        let mut array = [0; N];
        array.copy_from_slice(self.slice(&range));
        Ok(array)
    }

    /// Reads a number of `N` bytes, little-endian and without a sign.
    fn count<const N: usize>(&mut self) -> Outcome<u64> {
        Ok(self.array::<N>()?.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    fn push(&mut self, object: Object) -> Outcome<()> {
        let id = self.add(object)?;
        self.stack.push(id);
        Ok(())
    }

    fn add(&mut self, object: Object) -> Outcome<ObjectId> {
        if self.objects.len() >= MAX_OBJECTS {
            return Err(format!("The pickle has more than {MAX_OBJECTS} objects, which no model needs"));
        }
        self.objects.push(object);
        Ok(ObjectId(self.objects.len() as u32 - 1))
    }

    fn top(&self) -> Outcome<ObjectId> {
        let floor = self.marks.last().copied().unwrap_or(0);
        let top = self.stack.last().filter(|_| self.stack.len() > floor);
        top.copied().ok_or_else(|| self.damaged(self.at))
    }

    fn pop(&mut self) -> Outcome<ObjectId> {
        let top = self.top()?;
        self.stack.pop();
        Ok(top)
    }

    /// Takes the objects above the last mark.
    fn group(&mut self) -> Outcome<Vec<ObjectId>> {
        let mark = self.marks.pop().ok_or_else(|| self.damaged(self.at))?;
        Ok(self.stack.split_off(mark))
    }

    fn top_object(&mut self) -> Outcome<&mut Object> {
        let top = self.top()?;
        Ok(&mut self.objects[top.0 as usize])
    }

    fn append(&mut self, members: Vec<ObjectId>) -> Outcome<()> {
        match self.top_object()? {
            Object::List(list) => list.extend(members),
            _ => return Err(self.damaged(self.at)),
        }
        Ok(())
    }

    fn set(&mut self, pairs: Vec<(ObjectId, ObjectId)>) -> Outcome<()> {
        match self.top_object()? {
            Object::Dict(items) | Object::Call { items, .. } => items.extend(pairs),
            _ => return Err(self.damaged(self.at)),
        }
        Ok(())
    }

    fn long<const N: usize>(&mut self) -> Outcome<()> {
        let count = self.count::<N>()?;
        let range = self.range(count)?;
        if count > 8 {
            return Err(format!("The pickle has an integer of {count} bytes; at most 8 are read"));
        }
        let bytes = self.slice(&range);
        let fill = if bytes.last().is_some_and(|last| last & 0x80 != 0) { 0xff } else { 0 };
        let mut number = [fill; 8];
        number[..bytes.len()].copy_from_slice(bytes);
        self.push(Object::Int(i64::from_le_bytes(number)))
    }

    fn text<const N: usize>(&mut self) -> Outcome<()> {
        let place = self.at;
        let count = self.count::<N>()?;
        let range = self.range(count)?;
        if std::str::from_utf8(self.slice(&range)).is_err() {
            return Err(format!("The pickle has text at byte {place} that is not UTF-8"));
        }
        self.push(Object::Text(range))
    }

    fn raw<const N: usize>(&mut self) -> Outcome<()> {
        let count = self.count::<N>()?;
        let range = self.range(count)?;
        self.push(Object::Bytes(range))
    }

    fn line(&mut self) -> Outcome<Range<u32>> {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().take(MAX_NAME_BYTES + 1).position(|&byte| byte == b'\n');
        let end = end.ok_or_else(|| self.damaged(self.at))?;
        let range = self.range(end as u64)?;
        self.at += 1;
        Ok(range)
    }

    fn global(&mut self, module: Range<u32>, name: Range<u32>) -> Outcome<()> {
        let part = |range: &Range<u32>| {
            let text = std::str::from_utf8(self.slice(range)).ok().filter(|text| text.len() <= MAX_NAME_BYTES);
            text.ok_or_else(|| format!("The pickle has a name at byte {} that is not one", range.start))
        };
        let name = format!("{}.{}", part(&module)?, part(&name)?);
        let is_unknown = (self.known)(&name) == GlobalRole::Unknown;
        self.push(Object::Global(name))?;
        if is_unknown {
            self.unknown.push(self.top()?);
        }
        Ok(())
    }

    /// Records a call, or refuses it if its function does not belong to the format.
    fn call(&mut self, place: usize) -> Outcome<()> {
        let (arguments, callable) = (self.pop()?, self.pop()?);
        let Object::Global(name) = &self.objects[callable.0 as usize] else { return Err(self.damaged(place)) };
        if (self.known)(name) != GlobalRole::Callable {
            return Err(refused(name));
        }
        if !matches!(self.objects[arguments.0 as usize], Object::Tuple(_)) {
            return Err(self.damaged(place));
        }
        self.push(Object::Call { callable, arguments, state: None, items: Vec::new() })
    }

    fn keep(&mut self, number: u32) -> Outcome<()> {
        let top = self.top()?;
        if self.memo.len() >= MAX_OBJECTS {
            return Err(format!("The pickle keeps more than {MAX_OBJECTS} objects, which no model needs"));
        }
        self.memo.insert(number, top);
        Ok(())
    }

    fn recall(&mut self, number: u32, place: usize) -> Outcome<()> {
        let kept = self.memo.get(&number).copied().ok_or_else(|| self.damaged(place))?;
        self.stack.push(kept);
        Ok(())
    }
}

/// Says that a name was refused.
pub(crate) fn refused(name: &str) -> String {
    format!(
        "The file names `{}`, which is not part of a weight file; nothing of it was run. If you trust its author, load \
         it in Python and save its `state_dict()` alone",
        name.escape_debug()
    )
}
