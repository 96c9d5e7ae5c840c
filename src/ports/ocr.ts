/** An encoded picture. `width` and `height` are its pixels as shown, after `orientation` (EXIF, 2 to 8). */
export interface Picture {
  bytes: Uint8Array;
  mimeType: string;
  width: number;
  height: number;
  orientation?: number;
}

/** A word as it stands in the picture: the box in pixels from its top left, confidence 0 to 1. */
export interface RecognisedWord {
  text: string;
  box: { x: number; y: number; w: number; h: number };
  confidence?: number;
}

export interface Recognition {
  /** Paragraphs apart by an empty line; empty when the picture says nothing. */
  text: string;
  /** What `text` is written in: plain lines, or Markdown with headings and tables. */
  format: 'plain' | 'markdown';
  /** In reading order; empty when the engine tells no positions. */
  words: RecognisedWord[];
  /** 0 to 1; absent when the engine does not say. */
  confidence?: number;
}

/** Reads the text in a picture. One driver per kind of engine. */
export interface Ocr {
  /** Names engine and model: what one could not read may be read by another. */
  readonly id: string;
  /** Pixels of the largest picture that it takes; absent where it has no such limit. */
  readonly mostPixels?: number;
  /**
   * `languages` are codes of the parse parameters; none leaves it to the engine.
   * Rejects with Unreadable for pictures that this engine will never read, with Upstream for failures.
   */
  recognise(image: Picture, languages: readonly string[]): Promise<Recognition>;
}

/** This engine cannot read this picture, or not in this language; the page stays marked as unread. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}
