import type { Turns } from '../picture/gray.ts';
import { listScriptModels } from './scripts.ts';

/** Share of letters with a neighbour beside them, from 0 to 1, below which lines run from top to bottom. */
export const TURNED_SHARE = 0.35;
/** Share above which lines are level. Between both limits, the direction of the lines is unknown. */
const LEVEL_SHARE = 0.55;
/** Confidence of a sample above which its script is right, although the picture is hard to read. */
export const SAME_SCRIPT = 0.5;
/** Maximum number of positions and scripts in which a sample is read. */
const MAX_TRIALS = 14;

export interface PositionTrial {
  turns: Turns;
  models: string;
}

/**
 * Lists the positions and scripts in which a sample of a picture is read, the likeliest first: the given
 * models in each position, then the other scripts upright, then the other scripts turned. `share` is the
 * share of letters with a neighbour beside them.
 */
export function listPositionTrials(
  share: number,
  models: string,
  installed: readonly string[],
): PositionTrial[] {
  const scripts = listScriptModels(installed, models.split('+')[0]!);
  const [upright, turned] = listPositions(share);
  const combine = (names: readonly string[], positions: readonly Turns[]) =>
    names.flatMap((name) => positions.map((turns) => ({ turns, models: name })));
  return [
    ...combine([models], [...upright, ...turned]),
    ...combine(scripts, upright),
    ...combine(scripts, turned),
  ].slice(0, MAX_TRIALS);
}

/** Returns the likely positions of a picture and the less likely ones. Impossible positions are left out. */
function listPositions(share: number): [likely: Turns[], unlikely: Turns[]] {
  if (share < TURNED_SHARE) return [[1, 3], []];
  return share > LEVEL_SHARE ? [[0], [2]] : [[0], [2, 1, 3]];
}
