// A small reader and writer of the chain's notation, enough to try the interface on.

import type { Arguments, Chain, Node, NotationError, ParameterView } from '../../bindings';
import { parseNote } from '../../lib/note-length';
import { formatQuantity, parseQuantity } from '../../lib/quantity';
import { EFFECTS, initialArguments } from './effects';

class Fault extends Error {
  constructor(readonly notation: NotationError) {
    super(notation.message);
  }
}

export function write(nodes: Node[], glue = ' | '): string {
  return nodes.map(writeNode).join(glue);
}

function writeNode(node: Node): string {
  let text: string;
  if (node.kind === 'effect') {
    const parameters = EFFECTS.find((view) => view.name === node.effect)?.parameters ?? [];
    const args = parameters.flatMap((parameter, index) => {
      const value = node.arguments[parameter.name];
      if (value === undefined) return [];
      if (index > 0 && parameter.control.kind !== 'file' && value === parameter.control.initial && parameter.name === 'order') return [];
      const shown = typeof value === 'number' ? formatQuantity(value, 'unit' in parameter.control ? parameter.control.unit : 'none') : value;
      return [index === 0 ? shown : `${parameter.name}=${shown}`];
    });
    text = `${node.effect}(${args.join(', ')})`.replaceAll('−', '-');
  } else text = `(${write(node.nodes, node.kind === 'series' ? ' | ' : ' + ')})`;
  if (node.mix < 1) text = `mix(${Math.round(node.mix * 100)} %, ${text})`;
  if (node.bypass) text = `off(${text})`;
  if (node.label !== undefined) text = `label("${node.label}", ${text})`;
  return text;
}

/** Reads a chain; throws the place and the reason where it cannot. */
export function read(text: string, nextId: () => number): Chain {
  let at = 0;
  const skip = () => {
    while (/\s/.test(text[at] ?? '')) at++;
  };
  const fail = (message: string, start: number, end: number, allowed: string[] = [], nearest: string | null = null): never => {
    throw new Fault({ message, start, end: Math.max(end, start + 1), got: text.slice(start, end), allowed, nearest });
  };
  const expect = (sign: string) => {
    skip();
    if (text[at] !== sign) fail(at >= text.length ? 'the text ends here' : `unexpected “${text[at]}”`, at, at + 1, [sign]);
    at++;
  };
  const group = (kind: 'series' | 'parallel', nodes: Node[]): Node => ({ id: nextId(), bypass: false, mix: 1, kind, nodes });
  const series = (): Node[] => {
    const nodes = [parallel()];
    for (skip(); text[at] === '|'; skip()) {
      at++;
      nodes.push(parallel());
    }
    return nodes;
  };
  const parallel = (): Node => {
    const branches = [term()];
    for (skip(); text[at] === '+'; skip()) {
      at++;
      branches.push(term());
    }
    return branches.length === 1 && branches[0] ? branches[0] : group('parallel', branches);
  };
  const term = (): Node => {
    skip();
    if (text[at] === '(') {
      at++;
      const nodes = series();
      expect(')');
      return nodes.length === 1 && nodes[0] ? nodes[0] : group('series', nodes);
    }
    const start = at;
    const name = /^[a-z_0-9]*/.exec(text.slice(at))?.[0] ?? '';
    at += name.length;
    if (name === 'off' || name === 'mix' || name === 'label') return wrapped(name);
    const view = EFFECTS.find((candidate) => candidate.name === name);
    if (!view) {
      const names = EFFECTS.map((candidate) => candidate.name);
      const near = names.find((candidate) => name.length > 2 && (candidate.startsWith(name.slice(0, 3)) || candidate.includes(name)));
      return fail(name === '' ? 'an effect is missing' : 'no effect of this name', start, at, names, near ?? null);
    }
    expect('(');
    const given = initialArguments(view);
    for (let position = 0; ; position++) {
      skip();
      if (text[at] === ')') break;
      argument(view.parameters, position, given);
      skip();
      if (text[at] === ',') at++;
      else if (text[at] !== ')') fail(at >= text.length ? 'the text ends here' : 'unexpected sign', at, at + 1, [',', ')']);
    }
    at++;
    return { id: nextId(), bypass: false, mix: 1, kind: 'effect', effect: name, arguments: given };
  };
  const argument = (parameters: ParameterView[], position: number, given: Arguments) => {
    const start = at;
    const raw = /^[^,()|]*/.exec(text.slice(at))?.[0] ?? '';
    at += raw.length;
    const [name, value] = raw.includes('=') ? raw.split('=') : [undefined, raw];
    const parameter = name === undefined ? parameters[position] : parameters.find((candidate) => candidate.name === name.trim());
    if (!parameter) return fail('no parameter of this name', start, at, parameters.map((p) => p.name));
    const control = parameter.control;
    const note = control.kind === 'number_or_note' ? parseNote(value ?? '') : null;
    if (note !== null) given[parameter.name] = note;
    else if (control.kind === 'number' || control.kind === 'number_or_note') {
      const number = parseQuantity(value ?? '', control.unit);
      if (number === null || number < control.min || number > control.max) {
        fail(`${parameter.name}: got ${(value ?? '').trim()}`, start, at, [`${formatQuantity(control.min, control.unit)} to ${formatQuantity(control.max, control.unit)}`]);
      } else given[parameter.name] = number;
    } else given[parameter.name] = (value ?? '').trim();
  };
  const wrapped = (word: 'off' | 'mix' | 'label'): Node => {
    expect('(');
    skip();
    let mix = 1;
    let label: string | undefined;
    if (word !== 'off') {
      const raw = /^[^,]*/.exec(text.slice(at))?.[0] ?? '';
      if (word === 'mix') mix = parseQuantity(raw, 'percent') ?? 1;
      else label = raw.trim().replaceAll('"', '');
      at += raw.length;
      expect(',');
    }
    const inside = series();
    expect(')');
    const node = inside.length === 1 && inside[0] ? inside[0] : group('series', inside);
    return word === 'off' ? { ...node, bypass: true } : word === 'mix' ? { ...node, mix } : { ...node, label };
  };
  skip();
  if (at >= text.length) return { nodes: [] };
  const nodes = series();
  skip();
  if (at < text.length) fail(`unexpected “${text[at]}”`, at, text.length, ['|', '+']);
  return { nodes };
}

export function check(text: string): NotationError | null {
  try {
    read(text, () => 0);
    return null;
  } catch (error) {
    if (error instanceof Fault) return error.notation;
    throw error;
  }
}
