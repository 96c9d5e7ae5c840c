import { union } from '../geometry.ts';
import type { Item } from './items.ts';

/** Signs through which TeX draws a slash of its own. */
const SLASHED: readonly (readonly [string, string])[] = [
  ['=', '≠'],
  ['∈', '∉'],
  ['⊂', '⊄'],
  ['≡', '≢'],
  ['∼', '≁'],
];
/** Signs that TeX draws with several glyphs. */
const COMPOSED: ReadonlyMap<string, string> = new Map([
  ...SLASHED.flatMap(([sign, slashed]): [string, string][] => [
    [`\u0338${sign}`, slashed],
    [`${sign}\u0338`, slashed],
  ]),
  ['⋅⋅⋅', '⋯'],
  ['···', '⋯'],
  ['...', '…'],
  ['↦→', '↦'],
  ['∫∫', '∬'],
  ['∫∫∫', '∭'],
  ['−→', '⟶'],
  ['←−', '⟵'],
  ['=⇒', '⟹'],
  ['⇐=', '⟸'],
  ['←→', '⟷'],
  ['⇐⇒', '⟺'],
]);
/** Maximum distance between the glyphs of a sign, in letter heights. Dots stand further apart than arrows. */
const MAX_GAP = 0.05;
const MAX_DOT_GAP = 0.6;

/** Joins glyphs that form one sign, such as a long arrow or three dots. The items are ordered from left to right. */
export function joinSignParts(items: readonly Item[]): Item[] {
  const joined: Item[] = [];
  for (let at = 0; at < items.length; ) {
    const parts = [3, 2].map((count) => items.slice(at, at + count)).find(formSign);
    const [first] = parts ?? [];
    if (!parts || !first) {
      joined.push(items[at++]!);
      continue;
    }
    const text = COMPOSED.get(parts.map((part) => part.text).join(''))!;
    joined.push({ ...first, ...union(parts), text, node: { kind: 'leaf', text } });
    at += parts.length;
  }
  return joined;
}

function formSign(parts: readonly Item[]): boolean {
  if (!COMPOSED.has(parts.map(({ text }) => text).join(''))) return false;
  return parts.every((part, at) => {
    const before = parts[at - 1];
    if (!before) return true;
    const limit = /^[⋅·.]$/.test(part.text) ? MAX_DOT_GAP : MAX_GAP;
    return part.x0 - before.x1 <= limit * part.size && Math.abs(part.base - before.base) < 0.05 * part.size;
  });
}
