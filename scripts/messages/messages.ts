import type { Node } from '@babel/types';
import { TRANSLATORS } from './shown-strings.ts';
import { isFunction, parseSource, readCalleeName, walk } from './syntax.ts';

/** Message in a call of `t` or `rich`, with the place of its string in the source text. */
export interface Message {
  text: string;
  start: number;
  end: number;
  line: number;
  /** Names of the values that the call passes. Undefined if they cannot be read from the source text. */
  values: string[] | undefined;
  /** True if the call is outside all functions, so that its text does not follow the language. */
  isStatic: boolean;
}

/**
 * Finds the messages of a source text in the order of their places. A call that chooses between messages, such
 * as `t(isOne ? 'One' : 'Many')`, has several.
 */
export function findMessages(source: string): Message[] {
  const found: Message[] = [];
  walk(parseSource(source), (node, ancestors) => {
    if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier') return true;
    if (!TRANSLATORS.has(readCalleeName(node)!)) return true;
    const isStatic = !ancestors.some(isFunction);
    const [message, values] = node.arguments;
    for (const literal of message ? listLiterals(message) : []) {
      const { start, end, value: text } = literal;
      const line = literal.loc!.start.line;
      found.push({ text, start: start!, end: end!, line, values: readNames(values), isStatic });
    }
    return true;
  });
  return found.toSorted((a, b) => a.start - b.start);
}

function listLiterals(node: Node): (Node & { type: 'StringLiteral' })[] {
  if (node.type === 'StringLiteral') return [node];
  if (node.type === 'ConditionalExpression')
    return [...listLiterals(node.consequent), ...listLiterals(node.alternate)];
  return [];
}

function readNames(values: Node | undefined): string[] | undefined {
  if (!values) return [];
  if (values.type !== 'ObjectExpression') return undefined;
  const names = values.properties.map((property) =>
    property.type !== 'SpreadElement' && !property.computed && property.key.type === 'Identifier'
      ? property.key.name
      : undefined,
  );
  return names.includes(undefined) ? undefined : (names as string[]);
}
