import { parse } from '@babel/parser';
import type { Node } from '@babel/types';

/** Node of a syntax tree with its ancestors, from the outermost to the parent. */
export interface Place<Kind extends Node = Node> {
  node: Kind;
  ancestors: readonly Node[];
}

export const parseSource = (text: string): Node =>
  parse(text, { sourceType: 'module', plugins: ['typescript', 'jsx'] }).program;

/**
 * Visits a node and its descendants in the order of the source. `visit` returns false to skip the descendants
 * of a node.
 */
export function walk(
  node: Node,
  visit: (node: Node, ancestors: readonly Node[]) => boolean | undefined,
  ancestors: readonly Node[] = [],
): void {
  if (visit(node, ancestors) === false) return;
  const inner = [...ancestors, node];
  for (const child of listChildren(node)) walk(child, visit, inner);
}

function listChildren(node: Node): Node[] {
  const children: Node[] = [];
  for (const [key, value] of Object.entries(node)) {
    if (/^(?:loc|errors|extra)$|Comments$/.test(key)) continue;
    for (const each of Array.isArray(value) ? value : [value]) {
      if (typeof each === 'object' && each !== null && typeof (each as Node).type === 'string')
        children.push(each as Node);
    }
  }
  return children;
}

const FUNCTIONS = new Set([
  'ArrowFunctionExpression',
  'ClassMethod',
  'ClassPrivateMethod',
  'FunctionDeclaration',
  'FunctionExpression',
  'ObjectMethod',
]);

export const isFunction = (node: Node): boolean => FUNCTIONS.has(node.type);

/** Returns the name of a called function or method, such as `t` or `announce`. */
export function readCalleeName(node: Node): string | undefined {
  if (!('callee' in node)) return undefined;
  const { callee } = node;
  if (callee.type === 'Identifier') return callee.name;
  if (callee.type === 'MemberExpression' && callee.property.type === 'Identifier')
    return callee.property.name;
  return undefined;
}

/** Returns the name of an object's property or of an element's attribute. Returns `undefined` for a computed name. */
export function readKeyName(node: Node): string | undefined {
  if (node.type === 'JSXAttribute') return node.name.type === 'JSXIdentifier' ? node.name.name : undefined;
  if (node.type !== 'ObjectProperty' || node.computed) return undefined;
  if (node.key.type === 'Identifier') return node.key.name;
  return node.key.type === 'StringLiteral' ? node.key.value : undefined;
}

/** Stands for each expression of a template in its text. */
export const PLACEHOLDER = '\u{fffc}';

/** Returns the text of a string literal or template. */
export function readText(node: Node): string | undefined {
  if (node.type === 'StringLiteral' || node.type === 'JSXText') return node.value;
  if (node.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.cooked).join(PLACEHOLDER);
  return undefined;
}
