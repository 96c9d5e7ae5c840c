import { writeLatex } from '#src/formats/shared/math/latex.ts';
import { type MathNode, toRow } from '#src/formats/shared/math/nodes.ts';
import type { Engine } from '../engine/engine.ts';
import { containsCenter, isHorizontal, overlapX, type PageFrame, type Rect, union } from '../geometry.ts';
import type { Line } from '../text/lines.ts';
import type { TextWord } from '../text/words.ts';
import { findBaselines, splitIntoRows } from './baselines.ts';
import { joinPieces, readMatrices } from './brackets.ts';
import { checkColumns, checkOperators, LooksLikeTable } from './check.ts';
import { readBars } from './fractions.ts';
import { type Glyph, GlyphReader } from './glyphs.ts';
import { type Item, toItem, UnreadableFormula } from './items.ts';
import { readRow } from './rows.ts';
import { readAccents, readLimits } from './scripts.ts';
import { hasOffsetGlyphs } from './tex-encodings.ts';
import { findZones, mayContainFormulas, type Zone } from './zones.ts';

/** A displayed formula of a page. */
export interface Formula extends Rect {
  /** LaTeX code of each line. Empty if the formula cannot be read. */
  lines: string[];
  /** Bullet or number of a list before the formula. */
  label?: string | undefined;
  words: readonly TextWord[];
}

const MAX_GLYPHS = 400;
const MAX_BARS = 40;
/** Maximum thickness of a fraction bar in points. */
const MAX_BAR_HEIGHT = 2.5;

/** Reads the displayed formulas of a page. */
export function readFormulas(
  engine: Engine,
  textPage: number,
  frame: PageFrame,
  words: readonly TextWord[],
  lines: readonly Rect[],
): Formula[] {
  if (!mayContainFormulas(words)) return [];
  const reader = new GlyphReader(engine, textPage, frame);
  const originals = new Map<TextWord, TextWord>();
  for (const word of words) {
    if (word.turns !== 0 || word.vertical || word.hidden || word.white) continue;
    const ink = hasOffsetGlyphs(word.style.font) ? reader.measure(word) : undefined;
    originals.set(ink ? { ...word, ...ink } : word, word);
  }
  const bars = lines.filter((rule) => isHorizontal(rule) && rule.y1 - rule.y0 <= MAX_BAR_HEIGHT);
  return findZones([...originals.keys()], bars).flatMap((zone) => {
    const glyphs = readGlyphs(reader, zone.words);
    const formula = glyphs && readFormula(zone, glyphs, bars);
    return formula ? { ...formula, words: formula.words.flatMap((word) => originals.get(word) ?? []) } : [];
  });
}

function readGlyphs(reader: GlyphReader, words: readonly TextWord[]): Glyph[] | undefined {
  const glyphs: Glyph[] = [];
  for (const word of words) {
    const own = reader.read(word);
    if (!own || glyphs.length + own.length > MAX_GLYPHS) return undefined;
    for (const glyph of own) glyphs.push(glyph);
  }
  return glyphs;
}

function readFormula(zone: Zone, glyphs: readonly Glyph[], all: readonly Rect[]): Formula | undefined {
  const area = { x0: zone.x0 - 2, y0: zone.y0 - 2, x1: zone.x1 + 2, y1: zone.y1 + 2 };
  const bars = all.filter((bar) => overlapX(bar, area) > 0 && containsCenter(area, bar));
  if (bars.length > MAX_BARS) return undefined;
  const words = [...zone.words, ...zone.numbers.flatMap((number) => number.words)];
  if (zone.label) words.push(zone.label);
  if (zone.condition) for (const word of zone.condition.words) words.push(word);
  const whole = { ...union(words), label: zone.label?.text, words };
  try {
    const rows = readLines(glyphs, bars);
    const nodes = rows.map(({ node }) => node);
    const needsStructure = !zone.hasMathFont || zone.label !== undefined;
    if (needsStructure && !nodes.some(hasStructure)) return undefined;
    if (!nodes.every(isFormula) || (zone.label && nodes.length > 1)) return undefined;
    for (const node of nodes) checkOperators(node);
    if (zone.condition) addCondition(rows, zone.condition);
    return { ...whole, lines: addNumbers(rows, zone.numbers) };
  } catch (error) {
    if (error instanceof LooksLikeTable) return undefined;
    if (!(error instanceof UnreadableFormula)) throw error;
    // The text stays as printed, but in a block of its own.
    return zone.hasMathFont && !zone.label ? { ...whole, lines: [] } : undefined;
  }
}

interface FormulaLine {
  node: MathNode;
  /** Position of the baseline. */
  base: number;
}

/** Returns the line whose baseline is nearest to the baseline of a piece of text. */
function findNearest(rows: readonly FormulaLine[], { y0, y1 }: Line): FormulaLine {
  const distance = ({ base }: FormulaLine) => Math.abs(base - (0.3 * y0 + 0.7 * y1));
  return rows.reduce((best, row) => (distance(row) < distance(best) ? row : best));
}

/** Adds the words after a formula to its line. */
function addCondition(rows: readonly FormulaLine[], condition: Line): void {
  const row = findNearest(rows, condition);
  row.node = toRow([row.node, { kind: 'text', text: ` ${condition.text}` }]);
}

/** Writes the lines as LaTeX, each with the numbers that are printed beside it. */
function addNumbers(rows: readonly FormulaLine[], numbers: readonly Line[]): string[] {
  const tags = new Map<FormulaLine, string[]>();
  for (const number of numbers) {
    const row = findNearest(rows, number);
    tags.set(row, [...(tags.get(row) ?? []), number.text.slice(1, -1)]);
  }
  return rows.map((row) => {
    const tag = tags.get(row)?.join(', ');
    return tag === undefined ? writeLatex(row.node) : `${writeLatex(row.node)} \\tag{${tag}}`;
  });
}

/** Reads the lines of a formula from top to bottom. */
export function readLines(glyphs: readonly Glyph[], bars: readonly Rect[]): FormulaLine[] {
  const marked = readAccents(joinPieces(glyphs.map(toItem)));
  const grouped: Item[] = readMatrices(readBars(marked, mergeBars(bars), readRow), readRow);
  const rows = splitIntoRows(readLimits(grouped, readRow));
  checkColumns(rows);
  return rows.map((row) => ({ node: readRow(row), base: findBaselines(row)[0]! }));
}

/** Merges bars that are drawn twice, such as the edges of a thin box. */
function mergeBars(bars: readonly Rect[]): Rect[] {
  const merged: Rect[] = [];
  for (const bar of bars) {
    const same = merged.find(
      (other) =>
        Math.abs(other.y0 - bar.y0) < 1.5 &&
        Math.abs(other.x0 - bar.x0) < 1 &&
        Math.abs(other.x1 - bar.x1) < 1,
    );
    if (!same) merged.push(bar);
  }
  return merged;
}

/** Returns whether a formula contains parts that plain text would lose, such as fractions and scripts. */
function hasStructure(node: MathNode): boolean {
  return node.kind === 'row' ? node.items.some(hasStructure) : node.kind !== 'leaf' && node.kind !== 'word';
}

/** Returns whether a line states something or consists of more than a few letters. */
function isFormula(node: MathNode): boolean {
  return node.kind !== 'row' ? node.kind === 'fraction' : node.items.length >= 3;
}
