import type { Expression, Node } from '@babel/types';

/** Change that turns code into a mutant: the replacement of a syntax node's source text. */
export interface Change {
  /** Offset of the replaced code in the source text, in characters. */
  start: number;
  end: number;
  replacement: string;
  kind: string;
}

const COMPARISONS: Record<string, string> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
};

/**
 * Functions that a mutant replaces by their opposite or a similar function. They are conditions of database
 * queries, imported as `__conditions`, and functions for lists and numbers.
 */
const NEIGHBOURS: Record<string, string> = {
  eq: 'ne',
  ne: 'eq',
  lt: 'lte',
  lte: 'lt',
  gt: 'gte',
  gte: 'gt',
  asc: 'desc',
  desc: 'asc',
  isNull: 'isNotNull',
  or: 'and',
  inArray: 'notInArray',
  exists: 'notExists',
  notExists: 'exists',
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
};

/**
 * Methods whose calls a mutant removes. Without the call, the list is longer, or the list or text has another
 * form.
 */
const NARROWING = new Set([
  'filter',
  'slice',
  'toSorted',
  'sort',
  'reverse',
  'toReversed',
  'trim',
  'toLowerCase',
]);

/** Functions whose first two arguments can be swapped without an effect. */
const SYMMETRIC = new Set(['eq', 'ne', 'and', 'or', 'min', 'max']);

const isString = (node: Node) => node.type === 'StringLiteral' || node.type === 'TemplateLiteral';

/**
 * Lists the changes that can make mutants of a syntax node. Changes inside its children are not included.
 * `text` returns the source text of a node.
 */
export function listChanges(node: Node, parent: Node | undefined, text: (node: Node) => string): Change[] {
  const change = (kind: string, replacement: string, of: Node = node): Change => ({
    start: of.start!,
    end: of.end!,
    replacement,
    kind,
  });
  switch (node.type) {
    case 'IfStatement':
    case 'WhileStatement':
    case 'ConditionalExpression':
      return [change('negated condition', `!(${text(node.test)})`, node.test)];
    case 'LogicalExpression': {
      const [left, right] = [text(node.left), text(node.right)];
      if (node.operator === '??') return [change('default dropped', `(${left})`)];
      return [change('and/or', `(${left}) ${node.operator === '&&' ? '||' : '&&'} (${right})`)];
    }
    case 'BinaryExpression': {
      const other = COMPARISONS[node.operator];
      if (!other || (node.operator === '+' && (isString(node.left) || isString(node.right)))) return [];
      return [change('operator', `(${text(node.left)}) ${other} (${text(node.right)})`)];
    }
    case 'UnaryExpression':
      return node.operator === '!' ? [change('not dropped', text(node.argument))] : [];
    case 'AwaitExpression':
      return [change('await dropped', text(node.argument))];
    case 'ReturnStatement':
      if (!node.argument || text(node.argument) === 'undefined' || parent?.type === 'Program') return [];
      return [change('nothing returned', 'undefined', node.argument)];
    case 'ExpressionStatement':
      return isLogging(node.expression, text)
        ? []
        : [change('statement dropped', 'undefined', node.expression)];
    case 'ThrowStatement':
      return [change('throw dropped', ';')];
    case 'BooleanLiteral':
      return [change('constant', String(!node.value))];
    case 'NumericLiteral':
      return [change('constant', String(node.value + 1))];
    case 'StringLiteral':
      return node.value === '' ? [] : [change('constant', "''")];
    case 'ArrayExpression':
      return node.elements.length === 0 ? [] : [change('list emptied', '[]')];
    case 'CallExpression':
      return listCallChanges(node.callee as Expression, node.arguments, change, text);
    default:
      return [];
  }
}

function listCallChanges(
  callee: Expression,
  args: Node[],
  change: (kind: string, replacement: string) => Change,
  text: (node: Node) => string,
): Change[] {
  const changes: Change[] = [];
  const list = args.map(text);
  const called = text(callee);
  const name = callee.type === 'MemberExpression' ? text(callee.property) : called;
  const withName = (other: string) => called.slice(0, called.length - name.length) + other;
  const neighbour = Object.hasOwn(NEIGHBOURS, name) && NEIGHBOURS[name];
  if (neighbour) {
    const other = callee.type === 'MemberExpression' ? withName(neighbour) : `__conditions.${neighbour}`;
    changes.push(change('neighbour', `${other}(${list.join(', ')})`));
  }
  if (name === 'and' && list.length > 1) {
    for (const at of list.keys()) {
      changes.push(change('condition dropped', `${called}(${list.toSpliced(at, 1).join(', ')})`));
    }
  }
  if (callee.type === 'MemberExpression' && NARROWING.has(name)) {
    changes.push(change('narrowing dropped', text(callee.object)));
  }
  const [first, second] = args;
  if (first && second && isName(first) && isName(second) && !SYMMETRIC.has(name)) {
    const swapped = [list[1], list[0], ...list.slice(2)];
    changes.push(change('arguments swapped', `${called}(${swapped.join(', ')})`));
  }
  return changes;
}

const isName = ({ type }: Node) => type === 'Identifier' || type === 'MemberExpression';

const isLogging = (node: Node, text: (node: Node) => string) =>
  /^(?:await )?[\w.]*\b(?:log|console)\.\w+\(/.test(text(node));
