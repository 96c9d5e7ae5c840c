export type Span = [start: number, end: number];

/** A query under inference: `taken` are the stretches that already became filters. */
export interface Reading {
  query: string;
  now: Date;
  taken: Span[];
}
