import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from '@babel/parser';
import type { Node } from '@babel/types';
import { countLines, listTypeScript } from './source-files.ts';

export const MAX_FUNCTION_LINES = 80;

/** Folders whose functions must not exceed the maximum number of lines. */
export const MEASURED_FOLDERS = [
  'src',
  'durable-objects',
  'queues',
  'parser',
  'ocr',
  'server',
  'scripts',
] as const;

/** Function, method or arrow function in a file. */
export interface MeasuredFunction {
  /**
   * Enclosing names from outermost to innermost, joined by dots, such as `createSink.upsert`. A callback
   * without a name is named after the function that it is passed to, such as `addRoutes.map()`. Equal names
   * in one file are numbered, such as `visit (2)`.
   */
  name: string;
  /** Number of lines from the first to the last line of the function, including nested functions. */
  lines: number;
}

export interface LongFunction extends MeasuredFunction {
  /** Path of the file, a hash sign and the name of the function. */
  key: string;
}

/** Finds the functions of a checkout that have more than `limit` lines, longest first. */
export function findLongFunctions(root: string, limit = MAX_FUNCTION_LINES): LongFunction[] {
  const found = listTypeScript(root, MEASURED_FOLDERS).flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    // A function cannot be longer than its file. Skipping short files saves time, because parsing is slow.
    if (countLines(text) <= limit) return [];
    const long = measureFunctions(text).filter(({ lines }) => lines > limit);
    return long.map((each) => ({ ...each, key: `${path}#${each.name}` }));
  });
  return found.toSorted((a, b) => b.lines - a.lines || a.key.localeCompare(b.key));
}

/** Measures every function of a TypeScript source text, including nested functions. */
export function measureFunctions(text: string): MeasuredFunction[] {
  const found: MeasuredFunction[] = [];
  visitNamed(parseTypeScript(text), [], (node, name) => {
    if (!isFunction(node)) return;
    const lines = node.loc!.end.line - node.loc!.start.line + 1;
    found.push({ name, lines });
  });
  return numberEqualNames(found);
}

/** Lists the names that a source text declares: functions, classes, methods, constants and properties. */
export function declaredNames(text: string): Set<string> {
  const names = new Set<string>();
  visitNamed(parseTypeScript(text), [], (node, name) => {
    if (isFunction(node) || declaredName(node) !== undefined) names.add(name);
  });
  return names;
}

const parseTypeScript = (text: string): Node =>
  parse(text, { sourceType: 'module', plugins: ['typescript'] }).program;

const FUNCTIONS = new Set([
  'ArrowFunctionExpression',
  'ClassMethod',
  'ClassPrivateMethod',
  'FunctionDeclaration',
  'FunctionExpression',
  'ObjectMethod',
]);

const isFunction = (node: Node) => FUNCTIONS.has(node.type);

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

/** Calls `visit` for a node and all its descendants, with the enclosing names of each joined by dots. */
function visitNamed(node: Node, around: readonly string[], visit: (node: Node, name: string) => void): void {
  const own = declaredName(node);
  const names = own === undefined ? around : [...around, own];
  visit(node, names.join('.'));
  for (const [member, value] of Object.entries(node)) {
    if (member === 'loc') continue;
    for (const child of Array.isArray(value) ? value : [value]) {
      if (!isNode(child)) continue;
      const isCallback = member === 'arguments' && isFunction(child);
      visitNamed(child, isCallback ? [...names, `${calledName(node)}()`] : names, visit);
    }
  }
}

/** Returns the name that a node declares, or `undefined` if it declares none. */
function declaredName(node: Node): string | undefined {
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
    case 'VariableDeclarator':
      return 'id' in node ? identifier(node.id) : undefined;
    case 'ClassMethod':
    case 'ClassPrivateMethod':
    case 'ClassProperty':
    case 'ClassPrivateProperty':
    case 'ObjectMethod':
    case 'ObjectProperty':
      return identifier(node.key);
    case 'ExportDefaultDeclaration':
      return declaredName(node.declaration) === undefined ? 'default' : undefined;
    default:
      return undefined;
  }
}

function calledName(node: Node): string {
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return '';
  const { callee } = node;
  return (callee.type === 'MemberExpression' ? identifier(callee.property) : identifier(callee)) ?? '';
}

function identifier(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'Identifier') return node.name;
  if (node.type === 'StringLiteral') return node.value;
  return node.type === 'PrivateName' ? `#${node.id.name}` : undefined;
}

function numberEqualNames(functions: readonly MeasuredFunction[]): MeasuredFunction[] {
  const seen = new Map<string, number>();
  return functions.map(({ name, lines }) => {
    const at = (seen.get(name) ?? 0) + 1;
    seen.set(name, at);
    return { name: at === 1 ? name : `${name} (${at})`, lines };
  });
}
