import type { Passage } from './corpus.ts';
import { seeded, shuffled } from './random.ts';
import { clustered, directionOf, dot } from './vectors.ts';

/** Neighbouring passages of one document that go to a shard together: a document, or a part of a large one. */
interface Piece {
  passages: number[];
  direction: Float32Array;
}

/** A document is whole in a shard unless it is larger than this share of it. */
const PIECE = 1 / 8;
const SEED = 7;

/** The shards, each as the passages (by number) that are in it. */
export type Placement = (passages: Passage[], capacity: number) => number[][];

/** As the managed index places today: into the open shard until it is full. Documents come in any order. */
export const byArrival: Placement = (passages, capacity) =>
  filled(shuffled(piecesOf(passages, capacity), seeded(SEED)), capacity);

/** The same, where what belongs together comes together: folder after folder, set after set. */
export const bySource: Placement = (passages, capacity) => filled(piecesOf(passages, capacity), capacity);

/** Into the shard whose centroid is nearest. A full one is split in two by nearness, so that nothing is placed for ever. */
export const byCentroid: Placement = (passages, capacity) => {
  const next = seeded(SEED);
  let shards: { pieces: Piece[]; direction: Float32Array }[] = [];
  for (const piece of shuffled(piecesOf(passages, capacity), next)) {
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
    if (sizeOf(nearest.pieces) > capacity) {
      shards = shards.filter((each) => each !== nearest);
      for (const pieces of halved(nearest.pieces, next))
        shards.push({ pieces, direction: centroidOf(pieces) });
    } else if (nearest.pieces.length % 8 === 0) {
      nearest.direction = centroidOf(nearest.pieces);
    }
  }
  return shards.map(({ pieces }) => pieces.flatMap((piece) => piece.passages));
};

/** Two parts by nearness, neither of them smaller than a third, so that shards stay well filled. */
function halved(pieces: Piece[], next: () => number): Piece[][] {
  const groupOf = clustered(
    pieces.map(({ direction }) => direction),
    2,
    next,
  );
  const [one, other] = [0, 1].map((group) => centroidOf(pieces.filter((_, at) => groupOf[at] === group)));
  const leaning = ({ direction }: Piece) => dot(direction, one!) - dot(direction, other!);
  const ordered = pieces.toSorted((a, b) => leaning(b) - leaning(a));
  const natural = groupOf.filter((group) => group === 0).length;
  const cut = Math.round(Math.min(Math.max(natural, pieces.length / 3), (2 * pieces.length) / 3));
  return [ordered.slice(0, cut), ordered.slice(cut)];
}

function piecesOf(passages: Passage[], capacity: number): Piece[] {
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
    direction: directionOf(numbers.map((number) => passages[number]!.vector)),
  }));
}

function filled(pieces: Piece[], capacity: number): number[][] {
  const shards: number[][] = [[]];
  for (const piece of pieces) {
    if (shards.at(-1)!.length + piece.passages.length > capacity) shards.push([]);
    shards.at(-1)!.push(...piece.passages);
  }
  return shards;
}

const sizeOf = (pieces: Piece[]) => pieces.reduce((sum, piece) => sum + piece.passages.length, 0);
const centroidOf = (pieces: Piece[]) => directionOf(pieces.map(({ direction }) => direction));
