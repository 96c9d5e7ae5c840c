import { child, elements, type XmlElement } from '#src/text-formats/xml.ts';

/**
 * Maximum number of levels of a list. `MAX_LABEL_LENGTH` is the maximum length of an item's label in
 * characters. Longer labels are cut, because every item repeats them.
 */
const MAX_LEVELS = 9;
const MAX_LABEL_LENGTH = 100;

interface Level {
  format: string;
  text: string;
  start: number;
}

export interface Numbered {
  ordered: boolean;
  number: number;
  /** Printed label of a list item, such as '2.1'. Used for numbered headings. */
  label: string;
}

const value = (element: XmlElement | undefined) => element?.attributes['w:val'];

const ROMAN: [number, string][] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];

function roman(number: number): string {
  let rest = Math.min(number, 3999);
  let text = '';
  for (const [size, digits] of ROMAN) {
    for (; rest >= size; rest -= size) text += digits;
  }
  return text;
}

function formatNumber(number: number, format: string): string {
  if (format === 'lowerRoman') return roman(number);
  if (format === 'upperRoman') return roman(number).toUpperCase();
  if (format === 'lowerLetter' || format === 'upperLetter') {
    const letter = String.fromCharCode(97 + ((number - 1) % 26)).repeat(Math.min(20, Math.ceil(number / 26)));
    return format === 'upperLetter' ? letter.toUpperCase() : letter;
  }
  return format === 'decimalZero' ? String(number).padStart(2, '0') : String(number);
}

const isLevel = (at: number) => Number.isInteger(at) && at >= 0 && at < MAX_LEVELS;

function readLevels(parent: XmlElement): Map<number, Level> {
  const levels = new Map<number, Level>();
  for (const level of elements(parent, 'w:lvl')) {
    const at = Number(level.attributes['w:ilvl']);
    if (!isLevel(at)) continue;
    levels.set(at, {
      format: value(child(level, 'w:numFmt')) ?? 'decimal',
      text: (value(child(level, 'w:lvlText')) ?? '').slice(0, MAX_LABEL_LENGTH),
      start: Number(value(child(level, 'w:start')) ?? 1),
    });
  }
  return levels;
}

/** Counts the numbered paragraphs of a document. `next` must be called in the order of the paragraphs. */
export class Numbering {
  readonly #levels = new Map<string, Map<number, Level>>();
  /**
   * Name of the counter of each list, by list id. Lists with the same definition share a counter, unless a
   * list restarts its numbering.
   */
  readonly #sequence = new Map<string, string>();
  readonly #counters = new Map<string, number[]>();

  constructor(root: XmlElement | undefined) {
    const abstracts = new Map(
      elements(root, 'w:abstractNum').map((one) => [
        one.attributes['w:abstractNumId'] ?? '',
        readLevels(one),
      ]),
    );
    for (const one of elements(root, 'w:num')) {
      const id = one.attributes['w:numId'] ?? '';
      const abstractId = value(child(one, 'w:abstractNumId')) ?? '';
      const levels = new Map(abstracts.get(abstractId));
      let restarts = false;
      for (const override of elements(one, 'w:lvlOverride')) {
        const at = Number(override.attributes['w:ilvl']);
        if (!isLevel(at)) continue;
        const start = value(child(override, 'w:startOverride'));
        const replaced = readLevels(override).get(at) ?? levels.get(at);
        if (replaced) levels.set(at, start === undefined ? replaced : { ...replaced, start: Number(start) });
        restarts ||= start !== undefined;
      }
      this.#levels.set(id, levels);
      this.#sequence.set(id, restarts ? `num:${id}` : abstractId);
    }
  }

  /**
   * Returns the next number of a list at the given level, or `undefined` if the paragraph is not numbered.
   */
  next(numId: string, level: number): Numbered | undefined {
    const levels = this.#levels.get(numId);
    const here = levels?.get(level);
    if (!levels || !here || numId === '0' || here.format === 'none') return undefined;
    const sequence = this.#sequence.get(numId) ?? numId;
    const counters = this.#counters.get(sequence) ?? [];
    this.#counters.set(sequence, counters);
    counters[level] = (counters[level] ?? here.start - 1) + 1;
    counters.length = level + 1;
    const label = here.text.replace(/%(\d)/g, (_, digit: string) => {
      const at = Number(digit) - 1;
      const other = levels.get(at);
      return formatNumber(counters[at] ?? other?.start ?? 1, other?.format ?? 'decimal');
    });
    return { ordered: here.format !== 'bullet', number: counters[level], label: label.trim() };
  }
}
