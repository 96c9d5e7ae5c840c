import type { Passage } from './corpus.ts';
import { createRandom, shuffle } from './random.ts';
import { clusterVectors, computeDirection, dot } from './vectors.ts';

/**
 * Consecutive passages of one document that are placed in the same shard: a whole document or a part of a
 * large one.
 */
interface Piece {
  passages: number[];
  direction: Float32Array;
}

/** Maximum share of a shard that a document may take without being split. */
const PIECE = 1 / 8;
const SEED = 7;

/** Distributes passages to shards. Returns the numbers of the passages in each shard. */
export type Placement = (passages: Passage[], capacity: number) => number[][];

/**
 * Places documents as the managed index does: into the open shard until it is full. The order of the
 * documents is random.
 */
export const placeByArrival: Placement = (passages, capacity) =>
  fillShards(shuffle(splitIntoPieces(passages, capacity), createRandom(SEED)), capacity);

/**
 * Places documents as they come, with related documents after each other: folder after folder, set after set.
 */
export const placeBySource: Placement = (passages, capacity) =>
  fillShards(splitIntoPieces(passages, capacity), capacity);

/**
 * Places each document into the shard with the nearest centroid. A full shard is split in two by similarity,
 * so no placement is permanent.
 */
export const placeByCentroid: Placement = (passages, capacity) => {
  const next = createRandom(SEED);
  let shards: { pieces: Piece[]; direction: Float32Array }[] = [];
  for (const piece of shuffle(splitIntoPieces(passages, capacity), next)) {
    const nearest = shards.reduce<(typeof shards)[number] | undefined>(
      (best, each) =>
        best && dot(best.direction, piece.direction) >= dot(each.direction, piece.direction) ? best : each,
      undefined,
    );
    if (nearest === undefined) {
      shards.push({ pieces: [piece], direction: piece.direction });
      continue;
    }
    nearest.pieces.push(piece);
    if (countPassages(nearest.pieces) > capacity) {
      shards = shards.filter((each) => each !== nearest);
      for (const pieces of splitInHalves(nearest.pieces, next))
        shards.push({ pieces, direction: computeCentroid(pieces) });
    } else if (nearest.pieces.length % 8 === 0) {
      nearest.direction = computeCentroid(nearest.pieces);
    }
  }
  return shards.map(({ pieces }) => pieces.flatMap((piece) => piece.passages));
};

/**
 * Splits pieces into two parts by similarity. Each part has at least a third of the pieces, so that the
 * shards stay well filled.
 */
function splitInHalves(pieces: Piece[], next: () => number): Piece[][] {
  const groups = clusterVectors(
    pieces.map(({ direction }) => direction),
    2,
    next,
  );
  const [one, other] = [0, 1].map((group) => computeCentroid(pieces.filter((_, at) => groups[at] === group)));
  const leaning = ({ direction }: Piece) => dot(direction, one!) - dot(direction, other!);
  const ordered = pieces.toSorted((a, b) => leaning(b) - leaning(a));
  const natural = groups.filter((group) => group === 0).length;
  const cut = Math.round(Math.min(Math.max(natural, pieces.length / 3), (2 * pieces.length) / 3));
  return [ordered.slice(0, cut), ordered.slice(cut)];
}

function splitIntoPieces(passages: Passage[], capacity: number): Piece[] {
  const most = Math.max(1, Math.floor(capacity * PIECE));
  const parts: number[][] = [];
  for (const [number, { documentId }] of passages.entries()) {
    const last = parts.at(-1);
    const belongs = last && passages[last[0]!]!.documentId === documentId && last.length < most;
    if (belongs) last.push(number);
    else parts.push([number]);
  }
  return parts.map((numbers) => ({
    passages: numbers,
    direction: computeDirection(numbers.map((number) => passages[number]!.vector)),
  }));
}

function fillShards(pieces: Piece[], capacity: number): number[][] {
  const shards: number[][] = [[]];
  for (const piece of pieces) {
    if (shards.at(-1)!.length + piece.passages.length > capacity) shards.push([]);
    shards.at(-1)!.push(...piece.passages);
  }
  return shards;
}

const countPassages = (pieces: Piece[]) => pieces.reduce((sum, piece) => sum + piece.passages.length, 0);
const computeCentroid = (pieces: Piece[]) => computeDirection(pieces.map(({ direction }) => direction));
