import type { Rect } from '../../geometry.ts';
import type { Line } from '../lines.ts';

/** A table or figure, which takes part in the reading order but is not a line of text. */
export interface NonTextBlock extends Rect {
  isNonTextBlock: true;
}

export type Piece = Line | NonTextBlock;
export const isNonText = (piece: Piece): piece is NonTextBlock => 'isNonTextBlock' in piece;

/** Two columns side by side, each with its pieces from top to bottom. */
export interface Section {
  left: Piece[];
  right: Piece[];
}
