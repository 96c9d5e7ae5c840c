import { globSync, readFileSync } from 'node:fs';
import { parse } from '@babel/parser';
import type { RegExpLiteral } from '@babel/types';

export interface Literal {
  file: string;
  line: number;
  source: string;
  flags: string;
}

export function findLiterals(pattern: string): Literal[] {
  return globSync(pattern)
    .toSorted()
    .flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      const tree = parse(text, { sourceType: 'module', plugins: ['typescript'] });
      return found(tree.program).map(({ pattern: source, flags, loc }) => ({
        file,
        line: loc!.start.line,
        source,
        flags,
      }));
    });
}

function found(node: unknown, into: RegExpLiteral[] = []): RegExpLiteral[] {
  if (typeof node !== 'object' || node === null) return into;
  if ('type' in node && node.type === 'RegExpLiteral') into.push(node as RegExpLiteral);
  for (const value of Object.values(node)) found(value, into);
  return into;
}
