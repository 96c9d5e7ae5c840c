import type { ReadingMode } from '../engine.ts';
import { evenLight, lightenDarkPicture } from '../picture/even-light.ts';
import { type Area, cropPicture, type Gray, type Turns, turnPicture } from '../picture/gray.ts';
import { findLetters, type Letters } from '../picture/letters.ts';
import { measureHorizontalShare } from '../picture/line-direction.ts';
import { type Placement, placePicture, toOriginalWord } from '../picture/placement.ts';
import { findRules } from '../picture/rules.ts';
import { measureSkew } from '../picture/skew.ts';
import type { ReadWord } from '../table.ts';
import { measureConfidence, mergeReadings } from './merge.ts';
import { measureCoverage, measureGain, type Paragraphs } from './quality.ts';
import { chooseSample } from './sample.ts';
import { listScriptModels } from './scripts.ts';

/** Recognizes pictures with the models that it is asked for. */
export interface Recogniser {
  recognise(picture: Gray, mode: ReadingMode, models: string): Promise<Paragraphs>;
}

export interface PictureReading {
  paragraphs: Paragraphs;
  /** Confidence from 0 to 1, weighted by the length of the words. 0 if there are no words. */
  confidence: number;
  /** Models that read the picture, such as "eng+deu". */
  models: string;
  /** Quarter turns clockwise that bring the picture upright. */
  turns: Turns;
  /** Horizontal and vertical lines of the picture. Empty if the picture is turned. */
  rules: Area[];
  /** True if the picture contains nothing that has the size of letters. */
  isBlank: boolean;
}

/** Confidence at which a reading is good enough, so that no other way of reading is tried. */
const GOOD = 0.86;
/** Confidence below which the picture may be turned or in another script. */
const DOUBTFUL = 0.55;
/** Confidence of a sample at which its position and script count as right. */
const CLEAR = 0.8;
/** Confidence of a sample above which its script is right, although the picture is hard to read. */
const SAME_SCRIPT = 0.5;
/** Minimum difference of confidence for reading in another position or script. */
const CLEARLY_BETTER = 0.12;
/** Difference of confidence at which a position or script is right without trying the others. */
const MUCH_BETTER = 0.28;
/** Share of letter shapes that the words of a good reading cover. */
const GOOD_COVERAGE = 0.6;
/** Height of letters in pixels for the first reading, and for further readings of doubtful pictures. */
const LETTER_HEIGHT = { first: 16, further: 22 };
/** Limits of the factor by which pictures are enlarged or reduced. */
const [MIN_SCALE, MAX_SCALE] = [0.5, 3];
/** Maximum number of pixels of a picture for the engine. The limit follows from the Worker's memory. */
const MAX_PIXELS = 8_000_000;
/** Maximum number of pixels that all readings of a picture may have in total. */
const MAX_WORK = 36_000_000;
/** Limits of the share of letters with a neighbour beside them, for level lines and for turned pages. */
const [TURNED_SHARE, LEVEL_SHARE] = [0.35, 0.55];
/** Minimum number of letters for trying other positions and scripts. */
const MIN_LETTERS = 12;

/** Ways to read a doubtful picture, in the order in which they are tried. */
const FURTHER_MODES: readonly ReadingMode[] = [
  { layout: 'block', threshold: 'local' },
  { layout: 'block', threshold: 'global' },
  { layout: 'column', threshold: 'local' },
];

/**
 * Reads the text of a picture. The first reading assumes that the picture is upright and in the language of
 * `models`. If its confidence is low, other positions, scripts, sizes and page layouts are tried. The total
 * work is limited. `installed` lists the models for unknown scripts; it is empty if the caller chose the
 * language.
 */
export async function readPicture(
  source: Gray,
  recogniser: Recogniser,
  models: string,
  installed: readonly string[],
): Promise<PictureReading> {
  const picture = evenLight(lightenDarkPicture(source));
  const letters = findLetters(picture);
  if (letters.shapes.length === 0)
    return { paragraphs: [], confidence: 0, models, turns: 0, rules: [], isBlank: true };
  const attempt = new Attempt(picture, letters, recogniser);
  const share = measureHorizontalShare(letters.shapes, letters.height) ?? 1;
  let best = share < TURNED_SHARE ? undefined : await attempt.read(0, models);
  if (!best || best.confidence < DOUBTFUL) {
    const found = await attempt.findPosition(share, models, installed);
    const isElsewhere = found.turns !== 0 || found.models !== models;
    if (!best || (isElsewhere && found.confidence > best.confidence + CLEARLY_BETTER)) {
      const other = await attempt.read(found.turns, found.models);
      if (!best || measureGain(other.paragraphs) > measureGain(best.paragraphs)) best = other;
    }
  }
  const improved = await attempt.improve(best);
  return improved.turns === 0 ? { ...improved, rules: findRules(picture, letters.height) } : improved;
}

/** The readings of one picture, whose total work is limited. */
class Attempt {
  readonly #picture: Gray;
  readonly #letters: Letters;
  readonly #recogniser: Recogniser;
  #work = 0;

  constructor(picture: Gray, letters: Letters, recogniser: Recogniser) {
    this.#picture = picture;
    this.#letters = letters;
    this.#recogniser = recogniser;
  }

  /** Reads the whole picture in a position. */
  async read(turns: Turns, models: string): Promise<PictureReading> {
    const paragraphs = await this.#recognise(
      turns,
      models,
      { layout: 'auto', threshold: 'global' },
      LETTER_HEIGHT.first,
    );
    const confidence = measureConfidence(paragraphs.flat(2));
    return { paragraphs, confidence, models, turns, rules: [], isBlank: false };
  }

  /** Reads a doubtful picture in other ways and merges the results. */
  async improve(first: PictureReading): Promise<PictureReading> {
    let best = first;
    for (const mode of FURTHER_MODES) {
      if (this.#isGood(best) || this.#work > MAX_WORK) break;
      const { turns, models } = best;
      const further = await this.#recognise(turns, models, mode, LETTER_HEIGHT.further).catch(
        () => undefined,
      );
      // The engine may lack the memory for the enlarged picture. The text that it has read is kept.
      if (!further) break;
      const isBase = measureGain(best.paragraphs) >= MIN_BASE_SHARE * measureGain(further);
      const [base, other] = isBase ? [best.paragraphs, further] : [further, best.paragraphs];
      const paragraphs = mergeReadings(base, other);
      const confidence = measureConfidence(paragraphs.flat(2));
      best = { paragraphs, confidence, models, turns, rules: [], isBlank: false };
    }
    return best;
  }

  #isGood({ confidence, paragraphs }: PictureReading): boolean {
    return confidence >= GOOD && measureCoverage(paragraphs, this.#letters.shapes) >= GOOD_COVERAGE;
  }

  /**
   * Finds the position and script of the picture by reading a small part of it. Returns the best combination
   * and its confidence.
   */
  async findPosition(
    share: number,
    models: string,
    installed: readonly string[],
  ): Promise<{ turns: Turns; models: string; confidence: number }> {
    let best = { turns: 0 as Turns, models, confidence: 0 };
    if (this.#letters.shapes.length < MIN_LETTERS) return best;
    const level: Turns[] = [0, 2];
    const turned: Turns[] = [1, 3];
    const likely = share < TURNED_SHARE ? turned : level;
    const positions = share < TURNED_SHARE || share > LEVEL_SHARE ? likely : [...level, ...turned];
    const sample = cropPicture(this.#picture, chooseSample(this.#picture, this.#letters));
    const trials = [models, ...listScriptModels(installed, models.split('+')[0]!)].flatMap((each) =>
      positions.map((turns) => ({ turns, models: each })),
    );
    for (const { turns, models: tried } of trials) {
      if (tried !== models && best.models === models && best.confidence > SAME_SCRIPT) break;
      const upright = turnPicture(sample, turns);
      const placed = placePicture(upright, {
        turns: 0,
        scale: this.#chooseScale(LETTER_HEIGHT.first),
        skew: 0,
      });
      this.#work += placed.width * placed.height;
      const read = await this.#recogniser.recognise(placed, { layout: 'block', threshold: 'global' }, tried);
      const confidence = measureConfidence(read.flat(2));
      const isClear = confidence >= CLEAR || confidence > best.confidence + MUCH_BETTER;
      const isFirst = best.confidence === 0;
      if (confidence > best.confidence) best = { turns, models: tried, confidence };
      if ((isClear && !isFirst) || confidence >= CLEAR || this.#work > MAX_WORK) break;
    }
    return best;
  }

  async #recognise(turns: Turns, models: string, mode: ReadingMode, height: number): Promise<Paragraphs> {
    const placement: Placement = { turns, scale: this.#chooseScale(height), skew: this.#measureSkew(turns) };
    const placed = placePicture(this.#picture, placement);
    this.#work += placed.width * placed.height;
    const read = await this.#recogniser.recognise(placed, mode, models);
    const toOriginal = (word: ReadWord) => toOriginalWord(word, this.#picture, placed, placement);
    return read.map((lines) => lines.map((line) => line.map(toOriginal)));
  }

  #chooseScale(letterHeight: number): number {
    const { width, height } = this.#picture;
    const most = Math.sqrt(MAX_PIXELS / (width * height));
    const wanted = letterHeight / Math.max(1, this.#letters.height);
    // Letters that are somewhat larger do no harm, so the picture keeps its size.
    const scale = wanted < 1 && wanted > 0.6 ? 1 : wanted;
    return Math.min(most, Math.max(MIN_SCALE, Math.min(MAX_SCALE, scale)));
  }

  #measureSkew(turns: Turns): number {
    const { shapes, height } = this.#letters;
    if (turns === 0) return measureSkew(shapes, height);
    const { width, height: pictureHeight } = this.#picture;
    const turned = shapes.map(({ x0, y0, x1, y1 }) => {
      if (turns === 2)
        return { x0: width - x1, y0: pictureHeight - y1, x1: width - x0, y1: pictureHeight - y0 };
      if (turns === 1) return { x0: pictureHeight - y1, y0: x0, x1: pictureHeight - y0, y1: x1 };
      return { x0: y0, y0: width - x1, x1: y1, y1: width - x0 };
    });
    return measureSkew(turned, height);
  }
}

/** Minimum gain of the first reading, as a share of another one's, for keeping its lines and their order. */
const MIN_BASE_SHARE = 0.75;
