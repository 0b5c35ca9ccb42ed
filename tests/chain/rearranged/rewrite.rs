//! Rewrites shaders as compilers with fast mathematics may: the same formulas, rounded elsewhere.

use std::collections::HashMap;

use naga::front::wgsl::parse_str;
use naga::valid::{Capabilities, FunctionInfo, ValidationFlags, Validator};
use naga::{
    Arena, BinaryOperator, Block, Expression, Function, Handle, Literal, MathFunction, Module, Range, ScalarKind, Span,
    Statement, TypeInner, UnaryOperator, VectorSize,
};

/// A change that a compiler makes to sums and products of floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rearrangement {
    /// `a * b + c` is rounded once, as a fused multiply-add.
    Contracted,
    /// `a / b` becomes `a * (1 / b)`.
    Reciprocal,
    /// `(a + b) + c` becomes `a + (b + c)`.
    Reassociated,
    /// `a * b + a * c` becomes `a * (b + c)`, and `a + a * c` becomes `a * (1 + c)`, wherever in a sum they stand.
    Factored,
}

/// The result of a rewrite.
pub struct Rewritten {
    pub source: String,
    /// The number of places that changed.
    pub changes: usize,
}

/// Rewrites a shader. The rewritten one is valid.
pub fn rewrite(source: &str, rearrangement: Rearrangement) -> Rewritten {
    let mut module = parse_str(source).unwrap();
    let validate = |module: &Module| {
        Validator::new(ValidationFlags::all(), Capabilities::empty())
            .validate(module)
            .unwrap_or_else(|error| panic!("{}", error.emit_to_string(source)))
    };
    let info = validate(&module);
    let mut changes = 0;
    let mut functions: Vec<(Handle<Function>, Function)> = Vec::new();
    for (handle, function) in module.functions.iter() {
        functions.push((handle, rearranged(&module, function, &info[handle], rearrangement, &mut changes)));
    }
    let entries: Vec<Function> = (0..module.entry_points.len())
        .map(|index| {
            let function = &module.entry_points[index].function;
            rearranged(&module, function, info.get_entry_point(index), rearrangement, &mut changes)
        })
        .collect();
    for (handle, function) in functions {
        *module.functions.get_mut(handle) = function;
    }
    for (entry, function) in module.entry_points.iter_mut().zip(entries) {
        entry.function = function;
    }
    let info = validate(&module);
    let text = naga::back::wgsl::write_string(&module, &info, naga::back::wgsl::WriterFlags::empty()).unwrap();
    let source = match rearrangement {
        Rearrangement::Contracted => text.replace("fma(", "contracted(") + CONTRACTED,
        _ => text,
    };
    Rewritten { source, changes }
}

/// A fused multiply-add of f32 in f32: the error of the product by Dekker's algorithm (Numerische Mathematik 18, 1971),
/// the error of the sum by Knuth's (The Art of Computer Programming 2, 4.2.2). `fma` itself may be a product and a sum.
/// What compilers could simplify passes through whole numbers.
const CONTRACTED: &str = "
fn opaque(x: f32, seed: u32) -> f32 {
    // No value of the kernels has these bits, but no compiler knows that.
    return bitcast<f32>(bitcast<u32>(x) ^ select(0u, 1u, seed == 0x7fc12345u));
}

fn contracted(a: f32, b: f32, c: f32) -> f32 {
    let seed = bitcast<u32>(a) ^ 0x1234567u;
    let p = opaque(a * b, seed);
    let a_high = bitcast<f32>(bitcast<u32>(a) & 0xfffff000u);
    let b_high = bitcast<f32>(bitcast<u32>(b) & 0xfffff000u);
    let a_low = opaque(a - a_high, seed);
    let b_low = opaque(b - b_high, seed);
    let first = opaque(opaque(a_high * b_high, seed) - p, seed);
    let second = opaque(first + opaque(a_high * b_low, seed), seed);
    let third = opaque(second + opaque(a_low * b_high, seed), seed);
    let product_error = opaque(third + opaque(a_low * b_low, seed), seed);
    let sum = opaque(p + c, seed);
    let c_part = opaque(sum - p, seed);
    let p_part = opaque(sum - c_part, seed);
    let sum_error = opaque(opaque(p - p_part, seed) + opaque(c - c_part, seed), seed);
    let all = sum + opaque(sum_error + product_error, seed);
    // A product or a sum beyond all numbers, or none.
    let is_finite = (bitcast<u32>(all) & 0x7f800000u) != 0x7f800000u;
    return select(sum, all, is_finite);
}
";

/// A component of an old vector, or an old scalar.
type Part = (Handle<Expression>, Option<u32>);

/// A function while it is being rewritten.
struct Rewriter<'m> {
    module: &'m Module,
    old: &'m Function,
    info: &'m FunctionInfo,
    rearrangement: Rearrangement,
    new: Arena<Expression>,
    /// The new handle of each old expression, and the first and the last handle that were written for it.
    known: HashMap<Handle<Expression>, (Handle<Expression>, Handle<Expression>)>,
    one: Handle<Expression>,
    changes: usize,
}

fn rearranged(
    module: &Module,
    function: &Function,
    info: &FunctionInfo,
    rearrangement: Rearrangement,
    changes: &mut usize,
) -> Function {
    let mut new = Arena::new();
    let one = new.append(Expression::Literal(Literal::F32(1.0)), Span::UNDEFINED);
    let mut rewriter =
        Rewriter { module, old: function, info, rearrangement, new, known: HashMap::new(), one, changes: 0 };
    for (handle, expression) in function.expressions.iter() {
        let before = rewriter.new.len();
        let mut expression = expression.clone();
        operands(&mut expression, &mut |operand| *operand = rewriter.known[operand].0);
        let written = rewriter.write(handle, expression);
        let first = rewriter.new.iter().nth(before).map_or(written, |(first, _)| first);
        rewriter.known.insert(handle, (written, first));
    }
    let mut made = function.clone();
    let to = |handle: &mut Handle<Expression>| *handle = rewriter.known[handle].0;
    for (_, local) in made.local_variables.iter_mut() {
        local.init.iter_mut().for_each(to);
    }
    made.named_expressions =
        function.named_expressions.iter().map(|(handle, name)| (rewriter.known[handle].0, name.clone())).collect();
    block(&mut made.body, &rewriter);
    made.expressions = rewriter.new;
    *changes += rewriter.changes;
    made
}

/// The components of a float: 1 for a scalar; `None` for other types.
#[allow(clippy::option_option, reason = "no float, a scalar, or a vector")]
fn width(inner: &TypeInner) -> Option<Option<VectorSize>> {
    match inner {
        TypeInner::Scalar(scalar) if scalar.kind == ScalarKind::Float => Some(None),
        TypeInner::Vector { size, scalar } if scalar.kind == ScalarKind::Float => Some(Some(*size)),
        _ => None,
    }
}

impl Rewriter<'_> {
    fn add(&mut self, expression: Expression) -> Handle<Expression> {
        self.new.append(expression, Span::UNDEFINED)
    }

    #[allow(clippy::option_option, reason = "no float, a scalar, or a vector")]
    fn width(&self, old: Handle<Expression>) -> Option<Option<VectorSize>> {
        width(self.info[old].ty.inner_with(&self.module.types))
    }

    /// Writes an old expression whose operands are new ones already, and returns its new handle.
    fn write(&mut self, old: Handle<Expression>, expression: Expression) -> Handle<Expression> {
        let changed = match (self.width(old), &self.old.expressions[old]) {
            (Some(width), &Expression::Binary { op, left, right }) => match (self.rearrangement, op) {
                (Rearrangement::Contracted, BinaryOperator::Add | BinaryOperator::Subtract) => {
                    self.contract(width, op, left, right)
                }
                (Rearrangement::Reciprocal, BinaryOperator::Divide) => self.reciprocal(left, right),
                (Rearrangement::Reassociated, BinaryOperator::Add) => self.reassociate(left, right),
                (Rearrangement::Factored, BinaryOperator::Add) => self.factor(width, old),
                _ => None,
            },
            _ => None,
        };
        self.changes += usize::from(changed.is_some());
        match changed {
            Some(handle) => handle,
            None => self.add(expression),
        }
    }

    /// The factors of an old product, as old handles.
    fn product(&self, old: Handle<Expression>) -> Option<(Handle<Expression>, Handle<Expression>)> {
        match self.old.expressions[old] {
            Expression::Binary { op: BinaryOperator::Multiply, left, right } if self.both_floats(left, right) => {
                Some((left, right))
            }
            _ => None,
        }
    }

    fn both_floats(&self, left: Handle<Expression>, right: Handle<Expression>) -> bool {
        self.width(left).is_some() && self.width(right).is_some()
    }

    /// One component of an old value, as a new scalar.
    fn component(&mut self, old: Handle<Expression>, index: u32) -> Handle<Expression> {
        let base = self.known[&old].0;
        match self.width(old) {
            Some(Some(_)) => self.add(Expression::AccessIndex { base, index }),
            _ => base,
        }
    }

    fn binary(
        &mut self,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Handle<Expression> {
        self.add(Expression::Binary { op, left, right })
    }

    fn contract(
        &mut self,
        width: Option<VectorSize>,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Option<Handle<Expression>> {
        let (factors, rest, product_first) = match (self.product(left), self.product(right)) {
            (Some(factors), _) => (factors, right, true),
            (None, Some(factors)) => (factors, left, false),
            (None, None) => return None,
        };
        let subtract = op == BinaryOperator::Subtract;
        let count = width.map_or(1, |size| size as u32);
        let mut components = Vec::new();
        for index in 0..count {
            let mut a = self.component(factors.0, index);
            let b = self.component(factors.1, index);
            let mut c = self.component(rest, index);
            if subtract && product_first {
                c = self.add(Expression::Unary { op: UnaryOperator::Negate, expr: c });
            } else if subtract {
                a = self.add(Expression::Unary { op: UnaryOperator::Negate, expr: a });
            }
            let (fun, arg) = (MathFunction::Fma, a);
            components.push(self.add(Expression::Math { fun, arg, arg1: Some(b), arg2: Some(c), arg3: None }));
        }
        self.composed(width, components)
    }

    fn ones(&mut self, width: Option<VectorSize>) -> Handle<Expression> {
        match width {
            Some(size) => self.add(Expression::Splat { size, value: self.one }),
            None => self.one,
        }
    }

    fn reciprocal(&mut self, left: Handle<Expression>, right: Handle<Expression>) -> Option<Handle<Expression>> {
        let own = self.width(right)?;
        let ones = self.ones(own);
        let (left, right) = (self.known[&left].0, self.known[&right].0);
        let inverse = self.binary(BinaryOperator::Divide, ones, right);
        Some(self.binary(BinaryOperator::Multiply, left, inverse))
    }

    fn reassociate(&mut self, left: Handle<Expression>, right: Handle<Expression>) -> Option<Handle<Expression>> {
        let Expression::Binary { op: BinaryOperator::Add, left: a, right: b } = self.old.expressions[left] else {
            return None;
        };
        let [a, b, c] = [a, b, right].map(|old| self.known[&old].0);
        let inner = self.binary(BinaryOperator::Add, b, c);
        Some(self.binary(BinaryOperator::Add, a, inner))
    }

    /// Writes a sum with common factors taken out, component by component.
    fn factor(&mut self, width: Option<VectorSize>, old: Handle<Expression>) -> Option<Handle<Expression>> {
        let mut changed = false;
        let mut components = Vec::new();
        for index in 0..width.map_or(1, |size| size as u32) {
            let index = width.map(|_| index);
            let mut terms = Vec::new();
            self.terms(old, index, &mut terms);
            let mut values = Vec::new();
            while let Some(term) = terms.pop() {
                let partner = terms.iter().enumerate().find_map(|(at, other)| Some((at, self.common(&term, other)?)));
                let Some((at, (common, rest))) = partner else {
                    let factors: Vec<_> = term.iter().map(|&part| self.value(part)).collect();
                    values.push(self.multiplied(&factors));
                    continue;
                };
                terms.remove(at);
                changed = true;
                let rest = rest.map(|part| part.map_or(self.one, |part| self.value(part)));
                let sum = self.binary(BinaryOperator::Add, rest[0], rest[1]);
                let common = self.value(common);
                values.push(self.binary(BinaryOperator::Multiply, common, sum));
            }
            let sum = values.into_iter().rev().reduce(|a, b| self.binary(BinaryOperator::Add, a, b));
            components.extend(sum);
        }
        if !changed {
            return None;
        }
        self.composed(width, components)
    }

    /// The terms of one component of an old sum, each as its one or two factors.
    fn terms(&self, old: Handle<Expression>, index: Option<u32>, to: &mut Vec<Vec<Part>>) {
        match self.old.expressions[old] {
            Expression::Binary { op: BinaryOperator::Add, left, right } => {
                self.terms(left, index, to);
                self.terms(right, index, to);
            }
            Expression::Binary { op: BinaryOperator::Multiply, left, right } if self.both_floats(left, right) => {
                to.push(vec![self.part(left, index), self.part(right, index)]);
            }
            _ => to.push(vec![self.part(old, index)]),
        }
    }

    /// A common factor of two terms, and the remainder of each; `None` for 1.
    fn common(&self, a: &[Part], b: &[Part]) -> Option<(Part, [Option<Part>; 2])> {
        let other = |of: &[Part], at: usize| (of.len() == 2).then(|| of[1 - at]);
        a.iter().enumerate().find_map(|(m, &x)| {
            let found = b.iter().enumerate().find(|&(_, &y)| x.1 == y.1 && self.same(x.0, y.0));
            found.map(|(n, _)| (x, [other(a, m), other(b, n)]))
        })
    }

    /// A component of an old value, by the vector that it is taken from.
    fn part(&self, old: Handle<Expression>, index: Option<u32>) -> Part {
        let is_vector = |value| matches!(self.width(value), Some(Some(_)));
        // A scalar among vectors has one component.
        let index = index.filter(|_| is_vector(old));
        match (&self.old.expressions[old], index) {
            (Expression::Splat { value, .. }, _) => self.part(*value, None),
            (Expression::Swizzle { vector, pattern, .. }, Some(index)) => {
                self.part(*vector, Some(pattern[index as usize] as u32))
            }
            (Expression::AccessIndex { base, index }, None) if is_vector(*base) => self.part(*base, Some(*index)),
            _ if is_vector(old) => (old, index),
            _ => (old, None),
        }
    }

    fn value(&mut self, (old, index): Part) -> Handle<Expression> {
        let base = self.known[&old].0;
        index.map_or(base, |index| self.add(Expression::AccessIndex { base, index }))
    }

    fn multiplied(&mut self, factors: &[Handle<Expression>]) -> Handle<Expression> {
        match factors {
            [a, b] => self.binary(BinaryOperator::Multiply, *a, *b),
            _ => factors[0],
        }
    }

    fn composed(
        &mut self,
        width: Option<VectorSize>,
        components: Vec<Handle<Expression>>,
    ) -> Option<Handle<Expression>> {
        let Some(size) = width else { return components.first().copied() };
        let inner = TypeInner::Vector { size, scalar: naga::Scalar::F32 };
        let ty = self.module.types.iter().find(|(_, known)| known.inner == inner)?.0;
        Some(self.add(Expression::Compose { ty, components }))
    }

    /// Whether two old expressions have one value: the same one, or the same calculation of values that do not change.
    fn same(&self, a: Handle<Expression>, b: Handle<Expression>) -> bool {
        use Expression::{Access, AccessIndex, Binary, GlobalVariable, Literal, Load, Splat, Swizzle};
        let all = &self.old.expressions;
        a == b
            || match (&all[a], &all[b]) {
                (Literal(x), Literal(y)) => x == y,
                (Splat { value: x, .. }, Splat { value: y, .. }) => self.same(*x, *y),
                (AccessIndex { base: x, index: m }, AccessIndex { base: y, index: n }) => m == n && self.same(*x, *y),
                (Access { base: x, index: m }, Access { base: y, index: n }) => self.same(*x, *y) && self.same(*m, *n),
                (Swizzle { vector: x, pattern: m, size: k }, Swizzle { vector: y, pattern: n, size: l }) => {
                    k == l && m == n && self.same(*x, *y)
                }
                (Binary { op: m, left: p, right: q }, Binary { op: n, left: r, right: s }) => {
                    m == n && self.same(*p, *r) && self.same(*q, *s)
                }
                (GlobalVariable(x), GlobalVariable(y)) => x == y,
                (Load { pointer: x }, Load { pointer: y }) => self.is_constant(*x) && self.same(*x, *y),
                _ => false,
            }
    }

    /// Whether nothing writes to this pointer's target.
    fn is_constant(&self, pointer: Handle<Expression>) -> bool {
        match self.old.expressions[pointer] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => self.is_constant(base),
            Expression::GlobalVariable(variable) => match self.module.global_variables[variable].space {
                naga::AddressSpace::Uniform => true,
                naga::AddressSpace::Storage { access } => !access.contains(naga::StorageAccess::STORE),
                _ => false,
            },
            _ => false,
        }
    }
}

/// Calls `to` with every operand of an expression.
fn operands(expression: &mut Expression, to: &mut impl FnMut(&mut Handle<Expression>)) {
    match expression {
        Expression::Compose { components, .. } => components.iter_mut().for_each(to),
        Expression::Access { base, index } => [base, index].into_iter().for_each(to),
        Expression::AccessIndex { base, .. } => to(base),
        Expression::Splat { value, .. } => to(value),
        Expression::Swizzle { vector, .. } => to(vector),
        Expression::Load { pointer } => to(pointer),
        Expression::Unary { expr, .. } | Expression::As { expr, .. } => to(expr),
        Expression::Binary { left, right, .. } => [left, right].into_iter().for_each(to),
        Expression::Select { condition, accept, reject } => [condition, accept, reject].into_iter().for_each(to),
        Expression::Relational { argument, .. } => to(argument),
        Expression::Math { arg, arg1, arg2, arg3, .. } => {
            to(arg);
            [arg1, arg2, arg3].into_iter().flatten().for_each(to);
        }
        Expression::ArrayLength(array) => to(array),
        Expression::Literal(_)
        | Expression::Constant(_)
        | Expression::ZeroValue(_)
        | Expression::FunctionArgument(_)
        | Expression::GlobalVariable(_)
        | Expression::LocalVariable(_)
        | Expression::CallResult(_)
        | Expression::AtomicResult { .. }
        | Expression::WorkGroupUniformLoadResult { .. } => {}
        other => panic!("no kernel has {other:?}"),
    }
}

/// Lets the statements of a block refer to the new expressions.
fn block(body: &mut Block, rewriter: &Rewriter<'_>) {
    let to = |handle: &mut Handle<Expression>| *handle = rewriter.known[handle].0;
    for statement in body.iter_mut() {
        match statement {
            Statement::Emit(range) => {
                let Some((first, last)) = range.first_and_last() else { continue };
                *range = Range::new_from_bounds(rewriter.known[&first].1, rewriter.known[&last].0);
            }
            Statement::Block(inner) => block(inner, rewriter),
            Statement::If { condition, accept, reject } => {
                to(condition);
                block(accept, rewriter);
                block(reject, rewriter);
            }
            Statement::Switch { selector, cases } => {
                to(selector);
                cases.iter_mut().for_each(|case| block(&mut case.body, rewriter));
            }
            Statement::Loop { body, continuing, break_if } => {
                block(body, rewriter);
                block(continuing, rewriter);
                break_if.iter_mut().for_each(to);
            }
            Statement::Return { value } => value.iter_mut().for_each(to),
            Statement::Store { pointer, value } => [pointer, value].into_iter().for_each(to),
            Statement::Atomic { pointer, fun, value, result } => {
                to(pointer);
                to(value);
                result.iter_mut().for_each(to);
                if let naga::AtomicFunction::Exchange { compare: Some(compare) } = fun {
                    to(compare);
                }
            }
            Statement::WorkGroupUniformLoad { pointer, result } => [pointer, result].into_iter().for_each(to),
            Statement::Call { arguments, result, .. } => arguments.iter_mut().chain(result).for_each(to),
            Statement::Break | Statement::Continue | Statement::ControlBarrier(_) | Statement::MemoryBarrier(_) => {}
            other => panic!("no kernel has {other:?}"),
        }
    }
}
