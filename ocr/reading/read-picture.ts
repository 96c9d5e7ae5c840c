import { evenLight, lightenDarkPicture } from '../picture/even-light.ts';
import type { Area, Gray } from '../picture/gray.ts';
import { findLetters } from '../picture/letters.ts';
import { measureHorizontalShare } from '../picture/line-direction.ts';
import { resizePicture } from '../picture/resize.ts';
import { findRules } from '../picture/rules.ts';
import type { ReadWord } from '../table.ts';
import { Attempt, type PositionReading, type Recogniser } from './attempt.ts';
import { TURNED_SHARE } from './position-trials.ts';
import { measureGain, type Paragraphs } from './quality.ts';

export interface PictureReading extends PositionReading {
  /** Horizontal and vertical lines of the picture. Empty if the picture is turned. */
  rules: Area[];
  /** True if the picture contains nothing that has the size of letters. */
  isBlank: boolean;
}

/** Installed models, and how to choose among them. Absent if the caller chose the models. */
export interface Detection {
  installed: readonly string[];
  /** Returns the model for the language of a text. Returns `undefined` if the language is unknown. */
  chooseModel(paragraphs: Paragraphs): string | undefined;
}

/** Confidence below which the picture may be turned or in another script. */
const DOUBTFUL = 0.55;
/** Minimum difference of confidence for reading in another position or script. */
const CLEARLY_BETTER = 0.12;
/** Factor by which a doubtful picture is reduced, and the minimum size of such a picture in pixels. */
const [REDUCTION, MIN_REDUCED_PIXELS] = [0.45, 1_500_000];

/**
 * Reads the text of a picture, whose pixels are changed. The first reading assumes that the picture is
 * upright and in the language of `models`. If its confidence is low, other positions, scripts, languages,
 * sizes and page layouts are tried. The total work is limited, and without enough time for a further reading the best
 * reading so far is returned.
 */
export async function readPicture(
  source: Gray,
  recogniser: Recogniser,
  models: string,
  detection?: Detection,
): Promise<PictureReading> {
  const picture = evenLight(lightenDarkPicture(source));
  const letters = findLetters(picture);
  if (letters.shapes.length === 0)
    return { paragraphs: [], confidence: 0, models, turns: 0, rules: [], isBlank: true };
  const original = new Attempt(picture, letters, recogniser);
  const share = measureHorizontalShare(letters.shapes, letters.height) ?? 1;
  const first = await readInBestPosition(original, share, models, detection?.installed ?? []);
  const reduced =
    first.confidence < DOUBTFUL ? await readReduced(picture, recogniser, models, first) : undefined;
  const { attempt, reading, scale } = reduced ?? { attempt: original, reading: first, scale: 1 };
  const translated = detection ? await readInItsLanguage(attempt, reading, detection) : reading;
  const improved = await attempt.improve(translated);
  const paragraphs = scaleWords(improved.paragraphs, 1 / scale);
  const rules = improved.turns === 0 ? findRules(picture, letters.height / scale) : [];
  return { ...improved, paragraphs, rules, isBlank: false };
}

/**
 * Reads a reduced copy of a picture. The letters of coarse printers consist of separate dots at a high
 * resolution, and reducing the picture joins them. Returns `undefined` if the copy is not read better.
 */
async function readReduced(
  picture: Gray,
  recogniser: Recogniser,
  models: string,
  first: PositionReading,
): Promise<{ attempt: Attempt; reading: PositionReading; scale: number } | undefined> {
  const { width, height } = picture;
  if (width * height < MIN_REDUCED_PIXELS) return undefined;
  const copy = resizePicture(picture, Math.round(width * REDUCTION), Math.round(height * REDUCTION));
  const letters = findLetters(copy);
  if (letters.shapes.length === 0) return undefined;
  const attempt = new Attempt(copy, letters, recogniser);
  if (!(await attempt.hasTime())) return undefined;
  const reading = await attempt.read(0, models);
  const isBetter =
    reading.confidence > first.confidence + CLEARLY_BETTER &&
    measureGain(reading.paragraphs) > measureGain(first.paragraphs);
  return isBetter ? { attempt, reading, scale: REDUCTION } : undefined;
}

function scaleWords(paragraphs: Paragraphs, factor: number): Paragraphs {
  if (factor === 1) return paragraphs;
  const scaleWord = (word: ReadWord): ReadWord => ({
    ...word,
    x: word.x * factor,
    y: word.y * factor,
    w: word.w * factor,
    h: word.h * factor,
  });
  return paragraphs.map((lines) => lines.map((line) => line.map(scaleWord)));
}

async function readInBestPosition(
  attempt: Attempt,
  share: number,
  models: string,
  installed: readonly string[],
): Promise<PositionReading> {
  const upright = share < TURNED_SHARE ? undefined : await attempt.read(0, models);
  if (upright && upright.confidence >= DOUBTFUL) return upright;
  const found = await attempt.findPosition(share, models, installed);
  const isElsewhere = found.turns !== 0 || found.models !== models;
  if (upright && !(isElsewhere && found.confidence > upright.confidence + CLEARLY_BETTER)) return upright;
  if (upright && !(await attempt.hasTime())) return upright;
  const other = await attempt.read(found.turns, found.models);
  return upright && measureGain(upright.paragraphs) >= measureGain(other.paragraphs) ? upright : other;
}

/**
 * Reads a picture again if its text is in another language than its model. Text in Latin letters is
 * recognized well enough by another language's model to detect its language.
 */
async function readInItsLanguage(
  attempt: Attempt,
  first: PositionReading,
  { installed, chooseModel }: Detection,
): Promise<PositionReading> {
  const model = chooseModel(first.paragraphs);
  if (!model || first.models.split('+').includes(model) || !installed.includes(model)) return first;
  if (!(await attempt.hasTime())) return first;
  const second = await attempt.read(first.turns, model);
  return measureGain(second.paragraphs) > measureGain(first.paragraphs) ? second : first;
}
