import { parse } from '@babel/parser';
import type { Node } from '@babel/types';
import { type Change, listChanges } from './mutators.ts';

export interface Mutant extends Change {
  file: string;
  line: number;
  /** Text of the line with the mutant. It identifies the mutant even if line numbers change. */
  within: string;
  /** Source text that the mutant replaces. */
  original: string;
}

/** Calls that contain messages or descriptions. Their texts are not mutated, because they are not rules. */
const MESSAGE_CALLS =
  /^(?:new \w*(?:Error|Invalid|NotFound|Conflict|Forbidden|Unauthenticated|Upstream)\b|Invalid\.field|[\w.]+\.describe\b)/;

/** Returns all possible mutants of a file, in the order of its text. */
export function findMutants(file: string, source: string): Mutant[] {
  const tree = parse(source, { sourceType: 'module', plugins: ['typescript'] });
  const text = (node: Node) => source.slice(node.start!, node.end!);
  const lines = source.split('\n');
  const found: Mutant[] = [];
  const walk = (node: Node, parent: Node | undefined, silent: boolean) => {
    if (isTypeOnly(node)) return;
    const message =
      silent || ((isCall(node) || node.type === 'NewExpression') && MESSAGE_CALLS.test(text(node)));
    for (const change of listChanges(node, parent, text)) {
      if (message && change.kind === 'constant') continue;
      const original = source.slice(change.start, change.end);
      const line = lineAt(source, change.start);
      found.push({ ...change, file, line, within: lines[line - 1]!.trim(), original });
    }
    for (const child of listChildren(node)) walk(child, node, message);
  };
  walk(tree.program, undefined, false);
  return found;
}

/**
 * Returns the source text with all given mutants built in, each inactive until selected: `__mutant(17) ?
 * changed : original`. The tests can then check all mutants without a restart.
 */
export function buildSchemata(source: string, mutants: (Mutant & { id: number })[]): string {
  const places = new Map<string, { start: number; end: number; mutants: (Mutant & { id: number })[] }>();
  for (const mutant of mutants) {
    const key = `${mutant.start}-${mutant.end}`;
    const place = places.get(key) ?? { start: mutant.start, end: mutant.end, mutants: [] };
    place.mutants.push(mutant);
    places.set(key, place);
  }
  // Sorts mutants by position, so that an outer mutant precedes the mutants inside it.
  const ordered = [...places.values()].toSorted((a, b) => a.start - b.start || b.end - a.end);
  let next = 0;
  const emit = (start: number, end: number): string => {
    let out = '';
    let at = start;
    while (next < ordered.length && ordered[next]!.start < end) {
      const place = ordered[next]!;
      next += 1;
      out += source.slice(at, place.start) + wrapMutants(place.mutants, emit(place.start, place.end));
      at = place.end;
    }
    return out + source.slice(at, end);
  };
  const conditions = mutants.some(({ replacement }) => replacement.startsWith('__conditions.'))
    ? CONDITIONS
    : '';
  return conditions + SWITCH + emit(0, source.length);
}

const CONDITIONS = "import * as __conditions from 'drizzle-orm';";
const SWITCH =
  'const __mutant = (id: number) => { const state = ((globalThis as any).__mutants ??= { active: 0, reached: new Set() }); ' +
  'state.reached.add(id); return state.active === id; };';

function wrapMutants(mutants: (Mutant & { id: number })[], original: string): string {
  if (mutants[0]!.kind === 'throw dropped') return `if (!__mutant(${mutants[0]!.id})) { ${original} }`;
  const arms = mutants.map(({ id, replacement }) => `__mutant(${id}) ? (${replacement}) : `).join('');
  return `(${arms}(${original}))`;
}

const isCall = (node: Node) => node.type === 'CallExpression';

/** Returns true for types, imports and exports, which contain no behaviour. */
function isTypeOnly(node: Node): boolean {
  if (['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression'].includes(node.type)) return false;
  if (node.type === 'ImportDeclaration' || node.type === 'ExportAllDeclaration') return true;
  return node.type.startsWith('TS');
}

function listChildren(node: Node): Node[] {
  return Object.entries(node).flatMap(([name, value]) => {
    const isKey = name === 'key' && !(node as { computed?: boolean }).computed;
    const isSource = name === 'source' || (name === 'property' && node.type === 'MetaProperty');
    if (isKey || isSource || name === 'loc' || name === 'extra' || name.endsWith('Comments')) return [];
    return [value].flat().filter((child): child is Node => typeof (child as Node)?.type === 'string');
  });
}

const lineAt = (source: string, at: number) => source.slice(0, at).split('\n').length;
