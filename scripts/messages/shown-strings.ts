import type { Node } from '@babel/types';
import { NOT_TRANSLATED } from './not-translated.ts';
import {
  PLACEHOLDER,
  type Place,
  parseSource,
  readCalleeName,
  readKeyName,
  readText,
  walk,
} from './syntax.ts';

/** Functions of console/src/i18n/messages.ts whose first argument is a message. */
export const TRANSLATORS: ReadonlySet<string> = new Set(['t', 'rich']);

/** Attributes and properties whose texts users read or hear. */
const SHOWN_NAMES = new Set([
  'action',
  'alt',
  'aria-description',
  'aria-label',
  'aria-roledescription',
  'aria-valuetext',
  'description',
  'empty',
  'error',
  'header',
  'help',
  'hint',
  'label',
  'lead',
  'msg',
  'newLabel',
  'noun',
  'placeholder',
  'text',
  'title',
  'what',
  'windowTitle',
  'word',
]);

/** Attributes and properties whose values are never shown, even if they look like prose. */
const HIDDEN_NAMES = new Set([
  'autoComplete',
  'className',
  'content-type',
  'data-state',
  'file_id',
  'href',
  'icon',
  'id',
  'key',
  'list',
  'method',
  'order_by',
  'path',
  'queryKey',
  'rel',
  'role',
  'sort',
  'status',
  'tone',
  'type',
  'value',
]);

/** Functions whose arguments are never shown. */
const SILENT_CALLS = new Set([
  'RegExp',
  'addEventListener',
  'buildRequest',
  'call',
  'classes',
  'closest',
  'endsWith',
  'getItem',
  'includes',
  'indexOf',
  'invalidate',
  'invalidateQueries',
  'matches',
  'querySelector',
  'querySelectorAll',
  'removeItem',
  'replace',
  'setItem',
  'setQueryData',
  'split',
  'startsWith',
  'useApiInfinite',
  'useApiMutation',
  'useApiQuery',
  'useKept',
]);

/** Nodes that pass the value of an operand on to the place where they stand. */
const TRANSPARENT = new Set([
  'ConditionalExpression',
  'JSXExpressionContainer',
  'LogicalExpression',
  'TSAsExpression',
  'TSNonNullExpression',
  'TSSatisfiesExpression',
]);

/** Addresses, and selectors of CSS, which look like prose because of their spaces. */
const isCode = (text: string) => /^https?:|:not\(|^[a-z]+(?:, [a-z]+)+$/.test(text);

const isProse = (text: string) =>
  /^[A-Z][a-z]+/.test(text) || /[\p{L},.] [\p{L}\u{fffc}(]|\u{fffc} \p{Ll}{2}/u.test(text);

/** Finds the strings of a source text that users see and that are no argument of `t` or `rich`. */
export function findShownStrings(text: string): Place[] {
  const found: Place[] = [];
  walk(parseSource(text), (node, ancestors) => {
    if (node.type.startsWith('TS') && !TRANSPARENT.has(node.type)) return false;
    if (readText(node) !== undefined && isShown(node, ancestors)) {
      found.push({ node, ancestors });
      // The placeholders of a shown template may contain further strings, which belong to its message.
      return node.type !== 'TemplateLiteral';
    }
    return true;
  });
  return found;
}

function isShown(node: Node, ancestors: readonly Node[]): boolean {
  const text = readText(node)!.replaceAll(PLACEHOLDER, ' ').trim();
  if (!/\p{L}{2}/u.test(text) || NOT_TRANSLATED.has(text) || isCode(text)) return false;
  if (isTranslated(node, ancestors) || isInSample(ancestors)) return false;
  if (node.type === 'JSXText') return true;
  const { holder, child } = findHolder(node, ancestors);
  const whole = readText(node)!;
  if (isSilent(holder, child)) return false;
  if (holder.type === 'JSXElement' || holder.type === 'JSXFragment') return true;
  const name = readKeyName(holder);
  if (name !== undefined) {
    if (HIDDEN_NAMES.has(name) || child === ('key' in holder ? holder.key : undefined)) return false;
    return SHOWN_NAMES.has(name) || isProse(whole) || isAmongLabels(holder, ancestors);
  }
  return isProse(whole);
}

/**
 * Returns true for a property of an object whose other properties are mostly translated, such as a table of labels.
 * A single lower-case word does not look like prose, but is shown there too.
 */
function isAmongLabels(property: Node, ancestors: readonly Node[]): boolean {
  const object = ancestors[ancestors.indexOf(property) - 1];
  if (object?.type !== 'ObjectExpression') return false;
  const others = object.properties.filter((other) => other !== property);
  // Texts under names such as `label` say nothing about the other properties.
  const translated = others.filter(
    (other) =>
      other.type === 'ObjectProperty' &&
      !SHOWN_NAMES.has(readKeyName(other) ?? '') &&
      other.value.type === 'CallExpression' &&
      TRANSLATORS.has(readCalleeName(other.value) ?? ''),
  );
  return translated.length >= 2 && translated.length * 2 > others.length;
}

/** Returns the first ancestor that is more than a choice between values, and its child on the way. */
function findHolder(node: Node, ancestors: readonly Node[]): { holder: Node; child: Node } {
  let at = ancestors.length - 1;
  while (at > 0 && TRANSPARENT.has(ancestors[at]!.type)) at--;
  return { holder: ancestors[at]!, child: ancestors[at + 1] ?? node };
}

function isSilent(holder: Node, child: Node): boolean {
  switch (holder.type) {
    case 'BinaryExpression':
      return holder.operator !== '+';
    case 'SwitchCase':
      return holder.test === child;
    case 'MemberExpression':
    case 'OptionalMemberExpression':
    case 'ImportDeclaration':
    case 'ImportExpression':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'TaggedTemplateExpression':
    case 'Directive':
      return true;
    case 'CallExpression':
    case 'OptionalCallExpression':
    case 'NewExpression':
      return SILENT_CALLS.has(readCalleeName(holder) ?? '');
    default:
      return false;
  }
}

/** Returns true for the values of an example request, which are code. */
const isInSample = (ancestors: readonly Node[]) =>
  ancestors.some(
    (ancestor, at) =>
      ancestor.type === 'CallExpression' &&
      readCalleeName(ancestor) === 'buildRequest' &&
      ancestors[at + 1] !== ancestor.callee,
  );

/** Returns true if the string is part of the first argument of a translating function. */
function isTranslated(node: Node, ancestors: readonly Node[]): boolean {
  return ancestors.some((ancestor, at) => {
    if (ancestor.type !== 'CallExpression' || !TRANSLATORS.has(readCalleeName(ancestor) ?? '')) return false;
    return ancestor.arguments[0] === (ancestors[at + 1] ?? node);
  });
}
