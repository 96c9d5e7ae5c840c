import { globSync, readFileSync } from 'node:fs';
import { parse } from '@babel/parser';
import type { Expression, Node } from '@babel/types';

export interface GrowingStep {
  file: string;
  line: number;
  problem: string;
}

const SEARCHES = new Set(['includes', 'indexOf', 'lastIndexOf', 'startsWith', 'endsWith', 'test', 'match']);
const LOOPS = new Set(['WhileStatement', 'DoWhileStatement', 'ForStatement']);
const ANY_LOOP = new Set([...LOOPS, 'ForOfStatement', 'ForInStatement']);

/** Finds code whose syntax shows that its cost grows faster than its input. */
export function findGrowingSteps(pattern: string, readsDocuments: (file: string) => boolean): GrowingStep[] {
  return globSync(pattern)
    .toSorted()
    .flatMap((file) => findGrowingStepsIn(file, readFileSync(file, 'utf8'), readsDocuments(file)));
}

/**
 * Finds code in one file whose cost grows faster than its input. Set `readsDocuments` if lists in the file
 * may have more items than a call accepts as arguments.
 */
export function findGrowingStepsIn(file: string, text: string, readsDocuments: boolean): GrowingStep[] {
  const tree = parse(text, { sourceType: 'module', plugins: ['typescript'] });
  const found: GrowingStep[] = [];
  walk(tree.program, [], (node, inLoop) => {
    const problem =
      growsUntilAbsent(node) ??
      (inLoop ? rebuildsText(node) : undefined) ??
      (inLoop ? copiesList(node) : undefined) ??
      copiesResult(node) ??
      (readsDocuments ? spreadsArguments(node) : undefined);
    if (problem) found.push({ file, line: node.loc!.start.line, problem });
  });
  return found;
}

function walk(node: unknown, above: readonly Node[], visit: (node: Node, inLoop: boolean) => void): void {
  if (Array.isArray(node)) for (const each of node) walk(each, above, visit);
  if (!isNode(node)) return;
  visit(
    node,
    above.some(({ type }) => ANY_LOOP.has(type)),
  );
  const below = [...above, node];
  for (const [name, value] of Object.entries(node)) if (name !== 'loc') walk(value, below, visit);
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

function some(node: unknown, test: (node: Node) => boolean): boolean {
  if (Array.isArray(node)) return node.some((each) => some(each, test));
  if (!isNode(node)) return false;
  return test(node) || Object.entries(node).some(([name, value]) => name !== 'loc' && some(value, test));
}

const getName = (node: unknown): string | undefined =>
  isNode(node) && node.type === 'Identifier' ? node.name : undefined;

/** Returns the name of the called method and the object that it is called on. */
function findMethod(node: Node): { name: string; on: Expression } | undefined {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return undefined;
  const name = getName(node.callee.property);
  return name === undefined ? undefined : { name, on: node.callee.object as Expression };
}

/** Detects `while (text.includes(mark)) mark += 'x'`, where each round searches the whole text. */
function growsUntilAbsent(node: Node): string | undefined {
  if (!LOOPS.has(node.type) || !('test' in node) || !('body' in node)) return undefined;
  const searched = new Set<string>();
  some(node.test, (inner) => {
    const method = findMethod(inner);
    if (inner.type !== 'CallExpression' || !method || !SEARCHES.has(method.name)) return false;
    for (const part of [method.on, ...inner.arguments]) {
      const name = getName(part);
      if (name !== undefined) searched.add(name);
    }
    return false;
  });
  const grows = some(
    node.body,
    (inner) =>
      inner.type === 'AssignmentExpression' &&
      inner.operator === '+=' &&
      searched.has(getName(inner.left) ?? ''),
  );
  return grows ? 'extends a text in a loop and searches the whole text again each time' : undefined;
}

/**
 * Detects `text = text.slice(0, at) + new + text.slice(end)` in a loop, where each round copies the whole
 * text.
 */
function rebuildsText(node: Node): string | undefined {
  if (node.type !== 'AssignmentExpression' || node.operator !== '=') return undefined;
  const name = getName(node.left);
  if (name === undefined) return undefined;
  let slices = 0;
  some(node.right, (inner) => {
    const method = findMethod(inner);
    if (method && /^(?:slice|substring)$/.test(method.name) && getName(method.on) === name) slices += 1;
    return false;
  });
  return slices > 1 ? `rebuilds "${name}" from its parts in a loop` : undefined;
}

/** Detects `list = [...list, item]` in a loop, where each round copies the whole list. */
function copiesList(node: Node): string | undefined {
  if (node.type !== 'AssignmentExpression' || node.operator !== '=') return undefined;
  const name = getName(node.left);
  return name !== undefined && beginsWith(node.right, name) ? `copies "${name}" for each item` : undefined;
}

/** Detects `reduce((all, item) => [...all, item])`, where each round copies the whole list. */
function copiesResult(node: Node): string | undefined {
  if (node.type !== 'CallExpression' || findMethod(node)?.name !== 'reduce') return undefined;
  const [work] = node.arguments;
  if (work?.type !== 'ArrowFunctionExpression') return undefined;
  const name = getName(work.params[0]);
  return name !== undefined && beginsWith(work.body, name) ? `copies "${name}" for each item` : undefined;
}

function beginsWith(node: Node, name: string): boolean {
  const members =
    node.type === 'ArrayExpression' ? node.elements : node.type === 'ObjectExpression' ? node.properties : [];
  return (
    members.length > 1 &&
    members.some((each) => each?.type === 'SpreadElement' && getName(each.argument) === name)
  );
}

/**
 * Detects `list.push(...others)` and `Math.max(...numbers)`, which throw a RangeError for about 100,000 items
 * or more.
 */
function spreadsArguments(node: Node): string | undefined {
  if (node.type !== 'CallExpression') return undefined;
  const method = findMethod(node);
  const isOne =
    method &&
    (/^(?:push|unshift)$/.test(method.name) ||
      (/^(?:max|min)$/.test(method.name) && getName(method.on) === 'Math'));
  const isSpread = node.arguments.some((each) => each.type === 'SpreadElement');
  return isOne && isSpread
    ? `spreads a list into the arguments of "${method.name}", which fails for long lists`
    : undefined;
}
