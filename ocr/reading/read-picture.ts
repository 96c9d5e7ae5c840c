import { evenLight, lightenDarkPicture } from '../picture/even-light.ts';
import type { Area, Gray } from '../picture/gray.ts';
import { findLetters } from '../picture/letters.ts';
import { measureHorizontalShare } from '../picture/line-direction.ts';
import { findRules } from '../picture/rules.ts';
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

/**
 * Reads the text of a picture, whose pixels are changed. The first reading assumes that the picture is
 * upright and in the language of `models`. If its confidence is low, other positions, scripts, languages,
 * sizes and page layouts are tried. The total work is limited.
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
  const attempt = new Attempt(picture, letters, recogniser);
  const share = measureHorizontalShare(letters.shapes, letters.height) ?? 1;
  const first = await readInBestPosition(attempt, share, models, detection?.installed ?? []);
  const translated = detection ? await readInItsLanguage(attempt, first, detection) : first;
  const improved = await attempt.improve(translated);
  const rules = improved.turns === 0 ? findRules(picture, letters.height) : [];
  return { ...improved, rules, isBlank: false };
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
  if (!(await attempt.canRead())) return first;
  const second = await attempt.read(first.turns, model);
  return measureGain(second.paragraphs) > measureGain(first.paragraphs) ? second : first;
}
