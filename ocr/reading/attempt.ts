import type { ReadingMode } from '../engine.ts';
import { cropPicture, type Gray, type Turns, turnPicture } from '../picture/gray.ts';
import type { Letters } from '../picture/letters.ts';
import { type Placement, placePicture, toOriginalWord } from '../picture/placement.ts';
import { measureSkew } from '../picture/skew.ts';
import type { ReadWord } from '../table.ts';
import { measureConfidence, mergeReadings } from './merge.ts';
import { listPositionTrials, SAME_SCRIPT } from './position-trials.ts';
import { measureCoverage, measureGain, type Paragraphs } from './quality.ts';
import { chooseSample } from './sample.ts';

/** Recognizes pictures with the models that it is asked for. */
export interface Recogniser {
  recognise(picture: Gray, mode: ReadingMode, models: string): Promise<Paragraphs>;
  /** Returns false if there is too little time left for a further reading of the given number of pixels. */
  hasTime(pixels: number): Promise<boolean>;
}

/** Text of a picture that was read in one position with one set of models. */
export interface PositionReading {
  paragraphs: Paragraphs;
  /** Confidence from 0 to 1, weighted by the length of the words. 0 if there are no words. */
  confidence: number;
  /** Models that read the picture, such as "eng+deu". */
  models: string;
  /** Quarter turns clockwise that bring the picture upright. */
  turns: Turns;
}

/** Confidence at which a reading is good enough, so that no other way of reading is tried. */
const GOOD = 0.86;
/** Share of letter shapes that the words of a good reading cover. */
const GOOD_COVERAGE = 0.6;
/** Confidence below which a picture that was read in two ways is given up. */
const HOPELESS = 0.4;
/** Confidence of a sample at which its position and script count as right. */
const CLEAR = 0.8;
/** Difference of confidence at which a position or script is right without trying the others. */
const MUCH_BETTER = 0.28;
/** Height of letters in pixels for the first reading, and for further readings of doubtful pictures. */
const LETTER_HEIGHT = { first: 16, further: 22 };
/** Limits of the factor by which pictures are enlarged or reduced. */
const [MIN_SCALE, MAX_SCALE] = [0.5, 3];
/** Maximum number of pixels of a picture for the engine. The limit follows from the Worker's memory. */
const MAX_PIXELS = 8_000_000;
/** Maximum number of pixels that all readings of a picture may have in total. */
const MAX_WORK = 32_000_000;
/** Maximum work on a picture as a multiple of its first reading, and the minimum of this limit in pixels. */
const [MAX_TIMES_FIRST, MIN_WORK] = [5, 3_000_000];
/** Minimum number of letters for trying other positions and scripts. */
const MIN_LETTERS = 12;
/** Minimum factor by which a further reading must increase the text, so that another one is tried. */
const WORTHWHILE = 1.02;
/** Minimum gain of the first reading, as a share of another one's, for keeping its lines and their order. */
const MIN_BASE_SHARE = 0.75;

/** Ways to read a doubtful picture, in the order in which they are tried. */
const FURTHER_MODES: readonly ReadingMode[] = [
  { layout: 'block', threshold: 'local' },
  { layout: 'block', threshold: 'global' },
  { layout: 'column', threshold: 'local' },
];

/** The readings of one picture. Their total number of pixels and their time are limited. */
export class Attempt {
  readonly #picture: Gray;
  readonly #letters: Letters;
  readonly #recogniser: Recogniser;
  readonly #maxWork: number;
  #work = 0;

  constructor(picture: Gray, letters: Letters, recogniser: Recogniser) {
    this.#picture = picture;
    this.#letters = letters;
    this.#recogniser = recogniser;
    const first = this.#countPixels(LETTER_HEIGHT.first);
    this.#maxWork = Math.min(MAX_WORK, Math.max(MIN_WORK, MAX_TIMES_FIRST * first));
  }

  /** Returns whether there is time for another reading of the whole picture. */
  hasTime(): Promise<boolean> {
    return this.#recogniser.hasTime(this.#countPixels(LETTER_HEIGHT.first));
  }

  /** Returns whether the limits allow another reading of the enlarged picture. */
  async #canReadFurther(): Promise<boolean> {
    const pixels = this.#countPixels(LETTER_HEIGHT.further);
    return this.#work + pixels <= this.#maxWork && (await this.#recogniser.hasTime(pixels));
  }

  /** Returns the number of pixels of the picture as it is read with letters of the given height. */
  #countPixels(letterHeight: number): number {
    return this.#picture.width * this.#picture.height * this.#chooseScale(letterHeight) ** 2;
  }

  /** Reads the whole picture in a position. */
  async read(turns: Turns, models: string): Promise<PositionReading> {
    const mode: ReadingMode = { layout: 'auto', threshold: 'global' };
    const paragraphs = await this.#recognise(turns, models, mode, LETTER_HEIGHT.first);
    return { paragraphs, confidence: measureConfidence(paragraphs.flat(2)), models, turns };
  }

  /**
   * Reads a doubtful picture in other ways and merges the results. Ends early if another way finds hardly
   * more text, as for a page with a photo, or if the text stays unreadable.
   */
  async improve(first: PositionReading): Promise<PositionReading> {
    const { turns, models } = first;
    let best = first;
    for (const mode of FURTHER_MODES) {
      if (this.#isGood(best) || !(await this.#canReadFurther())) break;
      const further = await this.#recognise(turns, models, mode, LETTER_HEIGHT.further).catch(
        () => undefined,
      );
      // The engine may lack the memory for the enlarged picture. The text that it has read is kept.
      if (!further) break;
      const gain = measureGain(best.paragraphs);
      const isBase = gain >= MIN_BASE_SHARE * measureGain(further);
      const [base, other] = isBase ? [best.paragraphs, further] : [further, best.paragraphs];
      const paragraphs = mergeReadings(base, other);
      best = { paragraphs, confidence: measureConfidence(paragraphs.flat(2)), models, turns };
      if (best.confidence < HOPELESS || measureGain(paragraphs) < WORTHWHILE * gain) break;
    }
    return best;
  }

  #isGood({ confidence, paragraphs }: PositionReading): boolean {
    return confidence >= GOOD && measureCoverage(paragraphs, this.#letters.shapes) >= GOOD_COVERAGE;
  }

  /**
   * Finds the position and script of the picture by reading a small part of it. `share` is the share of
   * letters with a neighbour beside them. Returns the best combination and its confidence.
   */
  async findPosition(
    share: number,
    models: string,
    installed: readonly string[],
  ): Promise<{ turns: Turns; models: string; confidence: number }> {
    let best = { turns: 0 as Turns, models, confidence: 0 };
    if (this.#letters.shapes.length < MIN_LETTERS) return best;
    const sample = cropPicture(this.#picture, chooseSample(this.#picture, this.#letters));
    const scale = this.#chooseScale(LETTER_HEIGHT.first);
    for (const { turns, models: tried } of listPositionTrials(share, models, installed)) {
      if (tried !== models && best.models === models && best.confidence > SAME_SCRIPT) break;
      const placed = placePicture(turnPicture(sample, turns), { turns: 0, scale, skew: 0 });
      if (!(await this.#recogniser.hasTime(placed.width * placed.height))) break;
      this.#work += placed.width * placed.height;
      const read = await this.#recogniser.recognise(placed, { layout: 'block', threshold: 'global' }, tried);
      const confidence = measureConfidence(read.flat(2));
      const isFirst = best.confidence === 0;
      const isClear = confidence >= CLEAR || (!isFirst && confidence > best.confidence + MUCH_BETTER);
      if (confidence > best.confidence) best = { turns, models: tried, confidence };
      if (isClear || this.#work > this.#maxWork) break;
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
